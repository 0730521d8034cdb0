import type { Db, Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Minor } from '../money/money.ts'
import type { Currency } from '../money/currencies.ts'
import type { AttemptStatus } from './states.ts'
import type { PaymentKey, PaymentRow } from './store.ts'

/** What the payer has to do, as it is kept: instants as text. */
export type StoredStep =
  | { kind: 'redirect'; url: string }
  | {
      kind: 'transfer'
      account: { bankCode: string; bankName: string; accountNumber: string; accountName: string }
      expiresAt: string
    }
  | { kind: 'prompt'; phone: string }

export type AttemptRow = {
  organizationId: string
  id: string
  paymentId: string
  rail: string
  methodId: string | null
  methodType: PaymentRow['methodType']
  methodName: string | null
  status: AttemptStatus
  railReference: string | null
  step: StoredStep | null
  reason: string | null
  isSettled: boolean
  voidAt: Date | null
  voidCount: number
  createdAt: Date
  updatedAt: Date
}

const columns = `
  a.organization_id as "organizationId", a.id, a.payment_id as "paymentId", a.rail, a.method_id as "methodId",
  a.method_type as "methodType", a.method_name as "methodName", a.status, a.rail_reference as "railReference", a.step,
  a.reason, a.is_settled as "isSettled", a.void_at as "voidAt", a.void_count as "voidCount", a.created_at as "createdAt",
  a.updated_at as "updatedAt"`

const insertSql = sql`
  with attempt as (
    insert into payment_attempts (organization_id, id, payment_id, rail, method_id, method_type, method_name, status, void_at, created_at, updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10))
  insert into payment_orders (rail, order_id, organization_id, payment_id) values ($4, $2, $1, $3)`

/** Writes an attempt and how its order is found, before the rail hears of it. */
export async function insertAttempt(tx: Tx, attempt: AttemptRow): Promise<void> {
  const { organizationId, id, paymentId, rail, methodId, methodType, methodName, status, voidAt, createdAt } = attempt
  await tx.many(insertSql, [
    organizationId,
    id,
    paymentId,
    rail,
    methodId,
    methodType,
    methodName,
    status,
    voidAt,
    createdAt,
  ])
}

const findOrdersSql = sql<PaymentKey & { rail: string; orderId: string }>`
  select o.rail, o.order_id as "orderId", o.organization_id as "organizationId", o.payment_id as id
    from payment_orders o join unnest($1::text[], $2::uuid[]) as k (rail, order_id) on o.rail = k.rail and o.order_id = k.order_id`

/** Whose the orders are. */
export function findOrders(db: Db, orders: readonly { rail: string; orderId: string }[]) {
  return db.many(findOrdersSql, [orders.map(({ rail }) => rail), orders.map(({ orderId }) => orderId)])
}

const ofPaymentsSql = sql<AttemptRow>`
  select ${columns} from payment_attempts a
    join unnest($1::uuid[], $2::uuid[]) as k (organization_id, id) on a.organization_id = k.organization_id and a.payment_id = k.id
   order by a.id`

/** Every attempt of these payments, oldest first. Whoever changes one holds its payment locked. */
export function findAttempts(db: Db, payments: readonly PaymentKey[]): Promise<AttemptRow[]> {
  return db.many(ofPaymentsSql, [payments.map((key) => key.organizationId), payments.map((key) => key.id)])
}

export type AttemptChange = Pick<
  AttemptRow,
  'organizationId' | 'id' | 'status' | 'railReference' | 'reason' | 'isSettled' | 'voidAt' | 'voidCount'
> & { at: Date }

const updateSql = sql`
  update payment_attempts a
     set status = m.status, rail_reference = m.rail_reference, reason = m.reason, is_settled = m.is_settled,
         void_at = m.void_at, void_count = m.void_count, updated_at = m.at
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::timestamptz[], $8::smallint[], $9::timestamptz[])
      as m (organization_id, id, status, rail_reference, reason, is_settled, void_at, void_count, at)
   where a.organization_id = m.organization_id and a.id = m.id`

export async function updateAttempts(tx: Tx, changes: readonly AttemptChange[]): Promise<void> {
  if (changes.length === 0) return
  const column = (name: keyof AttemptChange) => changes.map((change) => change[name])
  const names = ['organizationId', 'id', 'status', 'railReference', 'reason', 'isSettled', 'voidAt', 'voidCount', 'at']
  await tx.many(updateSql, (names as (keyof AttemptChange)[]).map(column))
}

const begunSql = sql`
  update payment_attempts set rail_reference = coalesce(rail_reference, $3), step = $4, void_at = case when void_at is null then null else $5::timestamptz end,
         status = case when status = 'beginning' then 'waiting' else status end, updated_at = $6
   where organization_id = $1 and id = $2`

/** Keeps what the rail answered to the order; what its notices said meanwhile stays. */
export async function markBegun(
  tx: Tx,
  attempt: { organizationId: string; id: string },
  begun: { railReference: string; step: StoredStep; voidAt: Date; at: Date },
): Promise<void> {
  await tx.many(begunSql, [
    attempt.organizationId,
    attempt.id,
    begun.railReference,
    JSON.stringify(begun.step),
    begun.voidAt,
    begun.at,
  ])
}

export type ReceiptRow = {
  organizationId: string
  paymentId: string
  rail: string
  railReference: string
  orderId: string
  amount: Minor
  currency: Currency
  receivedAt: Date
}

const receiptsSql = sql<{ paymentId: string; rail: string; railReference: string }>`
  select r.payment_id as "paymentId", r.rail, r.rail_reference as "railReference" from payment_receipts r
    join unnest($1::uuid[], $2::uuid[]) as k (organization_id, id) on r.organization_id = k.organization_id and r.payment_id = k.id`

export function findReceipts(db: Db, payments: readonly PaymentKey[]) {
  return db.many(receiptsSql, [payments.map((key) => key.organizationId), payments.map((key) => key.id)])
}

const insertReceiptsSql = sql`
  insert into payment_receipts (organization_id, payment_id, rail, rail_reference, order_id, amount, currency, received_at)
  select organization_id, payment_id, rail, rail_reference, order_id, amount, currency, received_at
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::bigint[], $7::text[], $8::timestamptz[])
      as t (organization_id, payment_id, rail, rail_reference, order_id, amount, currency, received_at)`

export async function insertReceipts(tx: Tx, receipts: readonly ReceiptRow[]): Promise<void> {
  if (receipts.length === 0) return
  const column = (name: keyof ReceiptRow) => receipts.map((receipt) => receipt[name])
  const names = ['organizationId', 'paymentId', 'rail', 'railReference', 'orderId', 'amount', 'currency', 'receivedAt']
  await tx.many(insertReceiptsSql, (names as (keyof ReceiptRow)[]).map(column))
}

const findVoidingSql = sql<AttemptRow>`
  select ${columns} from payment_attempts a where a.void_at <= $1 order by a.void_at limit $2`

export function findVoiding(db: Db, now: Date, most: number): Promise<AttemptRow[]> {
  return db.many(findVoidingSql, [now, most])
}

const nextVoidSql = sql<{ at: Date | null }>`select min(void_at) as at from payment_attempts where void_at is not null`

export async function nextVoidAt(db: Db): Promise<Date | null> {
  return (await db.one(nextVoidSql)).at
}
