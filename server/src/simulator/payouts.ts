import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { Book } from './book.ts'
import { endingOf } from './names.ts'
import type { Part } from './part.ts'

type Order = {
  orderId: string
  amount: { value: number; currency: string }
  destination: { accountNumber: string }
  narration: string | null
  noticeUrl: string
}
type Booked = {
  orderId: string
  railReference: string
  noticeUrl: string
  state: 'pending' | 'completed' | 'failed'
  reason: string | null
  completedAt: Date | null
}
type Ending = { state: 'completed' | 'failed' | null; reason: string | null; isTold: boolean; returnsAfterMs?: number }

/** How long the provider takes to pay. */
const PAYS_AFTER_MS = 300
const RETURNS_AFTER_MS = 10_000
/** Longer than anybody waits for an answer. */
const HANGS_MS = 70_000

/** What an account number's ending makes of an order; everything else is paid. */
const endings: Readonly<Record<string, Ending>> = {
  '001': { state: 'failed', reason: 'account_closed', isTold: true },
  '002': { state: 'completed', reason: null, isTold: false },
  '003': { state: null, reason: null, isTold: false },
  '004': { state: 'completed', reason: null, isTold: true, returnsAfterMs: RETURNS_AFTER_MS },
}
const paid: Ending = { state: 'completed', reason: null, isTold: true }

// An order has come to its end once its instant has passed; until then it is pending.
const bookedColumns = `
  order_id as "orderId", rail_reference as "railReference", notice_url as "noticeUrl", reason,
  case when ends_at <= clock_timestamp() then ending else 'pending' end as state,
  case when ends_at <= clock_timestamp() and ending = 'completed' then ends_at end as "completedAt"`

/** Orders to pay somebody. The same order id twice is one order. */
export function addPayouts({ api, book, announcer, behaviours }: Part): void {
  api.post<{ Body: Order }>('/payouts', async ({ body }, reply) => {
    const behaviour = await behaviours.of('payouts')
    if (behaviour.hasNoFloat) return reply.code(409).send({ reason: 'no_float' })
    const order = behaviour.losesOrders ? undefined : await book.transaction((query) => take(query, body))
    const mayAnswer = endingOf(body.destination.accountNumber) !== '002' && !behaviour.hangsAfterTaking
    return order && mayAnswer ? shown(order) : hang(reply)
  })

  async function take(query: Book['query'], order: Order): Promise<Booked> {
    const ending = endings[endingOf(order.destination.accountNumber)] ?? paid
    await lockOrder(query, order.orderId)
    const [booked] = await query<Booked & { sends: number }>(
      `insert into simulator.payout_orders (order_id, rail_reference, amount, currency, account_number, notice_url, ending, reason, ends_at, taken_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, case when $7::text is null then null else clock_timestamp() + make_interval(secs => $9::double precision / 1000) end, clock_timestamp())
       on conflict (order_id) do update set sends = simulator.payout_orders.sends + 1
       returning ${bookedColumns}, sends`,
      [
        order.orderId,
        `po_${randomUUID()}`,
        order.amount.value,
        order.amount.currency,
        order.destination.accountNumber,
        order.noticeUrl,
        ending.state,
        ending.reason,
        ending.isTold ? PAYS_AFTER_MS : 0,
      ],
    )
    const added = booked!
    if (added.sends > 1) return added
    if (ending.isTold && ending.state) await tell(query, added, ending.state, ending.reason, PAYS_AFTER_MS)
    if (ending.returnsAfterMs) await tell(query, added, 'returned', 'account_closed', ending.returnsAfterMs)
    const waiting = await query<{ command: Command }>(
      'delete from simulator.payout_commands where order_id = $1 returning command',
      [order.orderId],
    )
    for (const { command } of waiting) await obey(query, added, command)
    return added
  }

  async function tell(
    query: Book['query'],
    { noticeUrl, orderId, railReference }: Booked,
    what: 'completed' | 'failed' | 'returned',
    reason: string | null,
    afterMs: number,
  ): Promise<void> {
    const facts = { orderId, railReference, ...(reason !== null && { reason }) }
    await announcer.announce(noticeUrl, `payout.${what}`, facts, { afterMs, query })
  }

  async function obey(query: Book['query'], order: Booked, command: Command): Promise<void> {
    const { what, reason } = commands[command]
    if (what !== 'returned') {
      await query(
        `update simulator.payout_orders set ending = $2, reason = $3, ends_at = clock_timestamp() where order_id = $1`,
        [order.orderId, what, reason],
      )
    }
    await tell(query, order, what, reason, 0)
  }

  api.get<{ Params: { orderId: string } }>('/payouts/:orderId', async ({ params }, reply) => {
    const behaviour = await behaviours.of('payouts')
    if (behaviour.isSilent) return hang(reply)
    const order = behaviour.forgetsOrders ? undefined : await findOrder(book.query, params.orderId)
    return order ? shown(order) : reply.code(404).send({ reason: 'no_such_order' })
  })

  api.post<{ Params: { orderId: string; command: string } }>(
    '/payouts/:orderId/:command',
    async ({ params }, reply) => {
      const { orderId, command } = params
      if (!isCommand(command)) return reply.code(404).send({ reason: 'not_found' })
      await book.transaction(async (query) => {
        await lockOrder(query, orderId)
        const order = await findOrder(query, orderId)
        if (order) return obey(query, order, command)
        return void (await query(
          'insert into simulator.payout_commands (order_id, command) values ($1, $2) on conflict do nothing',
          [orderId, command],
        ))
      })
      return { ok: true }
    },
  )
}

const commands = {
  complete: { what: 'completed', reason: null },
  fail: { what: 'failed', reason: 'rejected_by_provider' },
  return: { what: 'returned', reason: 'returned_by_bank' },
} as const
type Command = keyof typeof commands

function isCommand(text: string): text is Command {
  return Object.hasOwn(commands, text)
}

/** Holds the connection until whoever asked has given up. */
async function hang(reply: FastifyReply) {
  const left = new AbortController()
  reply.raw.once('close', () => left.abort())
  await pause(HANGS_MS, undefined, { ref: false, signal: left.signal }).catch(() => undefined)
  return reply.code(504).send({ reason: 'timeout' })
}

/** An order and a command for it come one after the other, also when they come at once. */
async function lockOrder(query: Book['query'], orderId: string): Promise<void> {
  await query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [orderId])
}

async function findOrder(query: Book['query'], orderId: string): Promise<Booked | undefined> {
  const [found] = await query<Booked>(`select ${bookedColumns} from simulator.payout_orders where order_id = $1`, [
    orderId,
  ])
  return found
}

function shown({ railReference, state, reason, completedAt }: Booked) {
  return { railReference, state, reason, completedAt: completedAt?.toISOString() ?? null }
}
