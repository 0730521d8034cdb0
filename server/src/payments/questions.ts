import type { Deps } from '../deps.ts'
import type { CollectionState, Reply } from '../rails/rail.ts'
import type { AttemptRow } from './attempt-store.ts'
import type { Fact } from './decide.ts'
import { collectingRail } from './methods.ts'

/** An initiated payment whose notice does not come is first asked about after this long, then less and less often. */
export const FIRST_ASK_MS = 30_000
const LONGEST_ASK_MS = 6 * 60 * 60 * 1000
/** Silence this long is for a person to look at. */
export const SILENCE_MS = 7 * 24 * 60 * 60 * 1000

/** How long to wait after so many questions. */
export function askIntervalMs(asked: number): number {
  return Math.min(FIRST_ASK_MS * 2 ** Math.min(asked, 20), LONGEST_ASK_MS)
}

type Order = Pick<AttemptRow, 'id' | 'rail'>

/** Asks a rail where an order stands; undefined: it was not heard, in time or at all. */
export async function askAbout(deps: Deps, order: Order, timeoutMs?: number): Promise<Fact[] | undefined> {
  const rail = collectingRail(deps, order.rail)
  return rail && heard(order, await within(timeoutMs, rail.collections.ask(order.id)))
}

/** Ends an order at its rail, so that it can no longer be paid; answers where it stands, which may be paid. */
export async function voidOrder(deps: Deps, order: Order, timeoutMs?: number): Promise<Fact[] | undefined> {
  const rail = collectingRail(deps, order.rail)
  return rail && heard(order, await within(timeoutMs, rail.collections.void(order.id)))
}

/** The same, for a payment that ends with it: the payer is not asked to choose again. */
export async function endOrder(deps: Deps, order: Order, timeoutMs: number): Promise<Fact[] | undefined> {
  const facts = await voidOrder(deps, order, timeoutMs)
  return facts?.map((fact) => (fact.state === 'voided' ? { ...fact, state: 'ended' } : fact))
}

/** What an answer says as facts; undefined where nothing was said. */
function heard(order: Order, reply: Reply<CollectionState> | undefined): Fact[] | undefined {
  if (reply?.state !== 'answered') return undefined
  const said = reply.value
  const fact = { rail: order.rail, orderId: order.id, railReference: null, amount: null, reason: null }
  switch (said.state) {
    case 'waiting':
      return []
    case 'accepted':
      return [{ ...fact, state: 'accepted' }]
    case 'received': {
      const received: Fact = { ...fact, state: 'received', amount: said.received, railReference: said.railReference }
      return said.isSettled ? [received, { ...fact, state: 'settled' }] : [received]
    }
    case 'declined':
    case 'rejected':
      return [{ ...fact, state: said.state, reason: said.reason }]
    case 'voided':
    case 'not_found':
      return [{ ...fact, state: 'voided' }]
  }
}

async function within<T>(timeoutMs: number | undefined, answer: Promise<T>): Promise<T | undefined> {
  if (timeoutMs === undefined) return answer
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(late.resolve, timeoutMs, undefined)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
