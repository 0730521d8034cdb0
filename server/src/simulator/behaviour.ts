import type { Book } from './book.ts'

/** How the provider behaves, so that it can be made slow, silent or forgetful. */
export type Behaviour = {
  readonly slowMs: number
  readonly isDown: boolean
  readonly losesNotices: boolean
  /** Payouts: there is no money to pay with; orders are refused and not taken. */
  readonly hasNoFloat?: boolean
  /** Payouts: orders are taken, and nobody is told so. */
  readonly hangsAfterTaking?: boolean
  /** Payouts: orders are lost on the way, and nobody is told so. */
  readonly losesOrders?: boolean
  /** Payouts: asked about an order, it says there is none. */
  readonly forgetsOrders?: boolean
  /** Payouts: asked about an order, it does not answer. */
  readonly isSilent?: boolean
}
export type Behaviours = {
  of(capability: string): Promise<Behaviour>
  set(capability: string, settings: Partial<Behaviour>): Promise<void>
}

const normal: Behaviour = { slowMs: 0, isDown: false, losesNotices: false }

/** `all` holds for every capability that has no settings of its own. */
export function createBehaviours(book: Book): Behaviours {
  return {
    async of(capability) {
      const rows = await book.query<{ settings: Partial<Behaviour> }>(
        `select settings from simulator.behaviour where capability = any($1) order by capability = 'all'`,
        [['all', capability]],
      )
      return { ...normal, ...rows[0]?.settings }
    },
    async set(capability, settings) {
      await book.query(
        `insert into simulator.behaviour (capability, settings) values ($1, $2)
         on conflict (capability) do update set settings = excluded.settings`,
        [capability, JSON.stringify(settings)],
      )
    },
  }
}
