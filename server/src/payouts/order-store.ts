import type { Db, Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Currency } from '../money/currencies.ts'
import type { Minor } from '../money/money.ts'
import type { PayoutDestination } from './schema.ts'
import type { WaitingReason } from './states.ts'
import type { PayoutKey } from './store.ts'

// The queue of a payout's conversation with its rail. Every due instant is one of the service clock.

export type Step = 'send' | 'ask'

/** An order as the worker holds it: enough to call the rail, and where the conversation stands. */
export type Order = {
  organizationId: string
  id: string
  rail: string
  orderId: string
  step: Step
  asked: number
  silentSince: Date | null
  notFoundAt: Date | null
  resentAt: Date | null
  amount: Minor
  currency: Currency
  destination: PayoutDestination
  narration: string | null
}

const lockPendingSql = sql<PayoutKey>`
  select organization_id as "organizationId", id from payouts
   where status = 'pending' and set_aside_at is null and created_at <= $1 order by created_at limit $2 for update skip locked`

/** Takes payouts nobody has handed to a rail yet. */
export function lockPending(tx: Tx, now: Date, most: number): Promise<PayoutKey[]> {
  return tx.many(lockPendingSql, [now, most])
}

export const insertOrdersSql = sql`
  insert into payout_orders (organization_id, payout_id, rail, order_id, step, due_at, claimed_by, created_at)
  select organization_id, id, $3, id::text, 'send', $4, $5, $4 from unnest($1::uuid[], $2::uuid[]) as t (organization_id, id)`

/** Fixes the order id of payouts and claims their first sending. */
export async function insertOrders(
  tx: Tx,
  keys: readonly PayoutKey[],
  rail: string,
  claimedBy: string,
  at: Date,
): Promise<void> {
  const [organizationIds, ids] = [keys.map((key) => key.organizationId), keys.map((key) => key.id)]
  await tx.many(insertOrdersSql, [organizationIds, ids, rail, at, claimedBy])
}

const orderColumns = `
  o.organization_id as "organizationId", o.payout_id as id, o.rail, o.order_id as "orderId", o.step, o.asked,
  o.silent_since as "silentSince", o.not_found_at as "notFoundAt", o.resent_at as "resentAt",
  p.target_amount as amount, p.target_currency as currency, p.destination, p.narration`

const claimDueSql = sql<Order>`
  with due as (
    select organization_id, payout_id from payout_orders
     where due_at <= $1 and claimed_by is null order by due_at limit $2 for update skip locked
  )
  update payout_orders o set claimed_by = $3
    from due, payouts p
   where (o.organization_id, o.payout_id) = (due.organization_id, due.payout_id)
     and (p.organization_id, p.id) = (o.organization_id, o.payout_id)
  returning ${orderColumns}`

/** Takes orders whose next step is due. */
export function claimDue(tx: Tx, now: Date, most: number, claimedBy: string): Promise<Order[]> {
  return tx.many(claimDueSql, [now, most, claimedBy])
}

const nextDueSql = sql<{ at: Date | null }>`
  select least((select min(due_at) from payout_orders where due_at is not null),
               (select min(created_at) from payouts where status = 'pending' and set_aside_at is null)) as at`

export async function nextDueAt(db: Db): Promise<Date | null> {
  return (await db.one(nextDueSql)).at
}

// What a process had in its hands when it died may have reached the rail: from here on it is only asked about.
const releaseSql = sql`
  update payout_orders set claimed_by = null, step = 'ask', due_at = due_at + make_interval(secs => $2::double precision / 1000)
   where claimed_by = any($1::uuid[])`

export async function releaseOrders(tx: Tx, processIds: readonly string[], firstAskMs: number): Promise<void> {
  await tx.many(releaseSql, [processIds, firstAskMs])
}

// What this process claimed without hearing of it was never sent: it goes on as if it had not been claimed. What a process
// claimed that others had given up meanwhile may be sent yet, when it wakes: it is only asked about.
const releaseStraysSql = sql`
  update payout_orders o
     set claimed_by = null,
         step = case when o.claimed_by = $1 then o.step else 'ask' end,
         due_at = case when o.claimed_by = $1 then o.due_at else o.due_at + make_interval(secs => $3::double precision / 1000) end
   where o.claimed_by = $1 and o.payout_id <> all ($2::uuid[])
      or o.claimed_by is not null and not exists (select from processes p where p.id = o.claimed_by)`

/**
 * Frees claims that no living process knows of: of this process, those that are not among `held`, for the answer to a
 * claim can be lost after it was made. To be called while no claim of this process is under way.
 */
export async function releaseStrays(
  tx: Tx,
  processId: string,
  held: readonly string[],
  firstAskMs: number,
): Promise<void> {
  await tx.many(releaseStraysSql, [processId, held, firstAskMs])
}

const lockClaimedSql = sql<PayoutKey>`
  select o.organization_id as "organizationId", o.payout_id as id
    from payout_orders o
    join payouts p on (p.organization_id, p.id) = (o.organization_id, o.payout_id)
    join unnest($1::uuid[], $2::uuid[], $3::uuid[]) as k (organization_id, payout_id, claimed_by)
      on (o.organization_id, o.payout_id, o.claimed_by) = (k.organization_id, k.payout_id, k.claimed_by)
   where p.status = 'processing'
   order by o.organization_id, o.payout_id for update of p, o`

/** Takes those payouts whose order is still claimed by who answers for it: a stale worker's answer changes nothing. */
export function lockClaimed(tx: Tx, keys: readonly (PayoutKey & { claimedBy: string })[]): Promise<PayoutKey[]> {
  return tx.many(lockClaimedSql, [
    keys.map((key) => key.organizationId),
    keys.map((key) => key.id),
    keys.map((key) => key.claimedBy),
  ])
}

/** Where the conversation goes on. */
export type Next = PayoutKey & {
  readonly step: Step
  readonly dueAt: Date | null
  readonly asked: number
  readonly silentSince: Date | null
  readonly notFoundAt: Date | null
  readonly resentAt: Date | null
  readonly waitingReason: WaitingReason | null
  readonly providerReference: string | null
  readonly at: Date
}

const goOnSql = sql`
  with next as (
    select organization_id, id, step, due_at, asked, silent_since, not_found_at, resent_at, waiting_reason, provider_reference, at
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::smallint[], $6::timestamptz[], $7::timestamptz[],
                  $8::timestamptz[], $9::text[], $10::text[], $11::timestamptz[])
        as t (organization_id, id, step, due_at, asked, silent_since, not_found_at, resent_at, waiting_reason, provider_reference, at)
  ), payout as (
    update payouts p
       set waiting_reason = n.waiting_reason, provider_reference = coalesce(n.provider_reference, p.provider_reference), updated_at = n.at
      from next n
     where (p.organization_id, p.id) = (n.organization_id, n.id) and p.status = 'processing'
       and (p.waiting_reason is distinct from n.waiting_reason
         or coalesce(n.provider_reference, p.provider_reference) is distinct from p.provider_reference)
  )
  update payout_orders o
     set step = n.step, due_at = n.due_at, asked = n.asked, silent_since = n.silent_since, not_found_at = n.not_found_at,
         resent_at = n.resent_at, claimed_by = null
    from next n where (o.organization_id, o.payout_id) = (n.organization_id, n.id)`

/** Writes down what is done next, and when, and gives the claims back. */
export async function goOn(tx: Tx, next: readonly Next[]): Promise<void> {
  const column = (name: keyof Next) => next.map((one) => one[name])
  const first = ['organizationId', 'id', 'step', 'dueAt', 'asked', 'silentSince', 'notFoundAt', 'resentAt'] as const
  await tx.many(goOnSql, [...first, 'waitingReason' as const, 'providerReference' as const, 'at' as const].map(column))
}

const closeSql = sql`
  update payout_orders o set due_at = null, claimed_by = null
    from unnest($1::uuid[], $2::uuid[]) as k (organization_id, payout_id)
   where (o.organization_id, o.payout_id) = (k.organization_id, k.payout_id)`

/** Nothing more is done about these orders. */
export async function closeOrders(tx: Tx, keys: readonly PayoutKey[]): Promise<void> {
  await tx.many(closeSql, [keys.map((key) => key.organizationId), keys.map((key) => key.id)])
}

const findByOrderSql = sql<PayoutKey & { rail: string; orderId: string }>`
  select o.organization_id as "organizationId", o.payout_id as id, o.rail, o.order_id as "orderId"
    from payout_orders o
    join unnest($1::text[], $2::text[]) as k (rail, order_id) on (o.rail, o.order_id) = (k.rail, k.order_id)`

/** Whose payouts these orders are. */
export function findByOrder(db: Db, orders: readonly { rail: string; orderId: string }[]) {
  return db.many(findByOrderSql, [orders.map(({ rail }) => rail), orders.map(({ orderId }) => orderId)])
}
