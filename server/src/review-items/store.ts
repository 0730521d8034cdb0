import type { Db, Tx } from '../db/database.ts'
import { listPage, type Page } from '../db/paging.ts'
import { sql } from '../db/sql.ts'
import type { Currency } from '../money/currencies.ts'
import type { Minor } from '../money/money.ts'
import type { ReviewKind, ReviewStatus } from './kinds.ts'
import type { ReviewItemQuery } from './schema.ts'

export type ReviewItemRow = {
  organizationId: string
  id: string
  kind: ReviewKind
  status: ReviewStatus
  amount: Minor
  currency: Currency
  rail: string
  railReference: string | null
  orderId: string | null
  resourceType: string
  resourceId: string
  note: string | null
  resolvedBy: string | null
  returnAt: Date | null
  returnCount: number
  returnReference: string | null
  createdAt: Date
  resolvedAt: Date | null
}

export type NewReviewItem = Pick<
  ReviewItemRow,
  | 'organizationId'
  | 'id'
  | 'kind'
  | 'amount'
  | 'currency'
  | 'rail'
  | 'railReference'
  | 'orderId'
  | 'resourceType'
  | 'resourceId'
> & { at: Date }

const insertSql = sql`
  insert into review_items (organization_id, id, kind, amount, currency, rail, rail_reference, order_id, resource_type, resource_id, created_at)
  select organization_id, id, kind, amount, currency, rail, rail_reference, order_id, resource_type, resource_id, created_at
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::uuid[], $9::text[], $10::uuid[], $11::timestamptz[])
      as t (organization_id, id, kind, amount, currency, rail, rail_reference, order_id, resource_type, resource_id, created_at)`

export async function insertItems(tx: Tx, items: readonly NewReviewItem[]): Promise<void> {
  const column = (name: keyof NewReviewItem) => items.map((item) => item[name])
  const names = [
    ...(['organizationId', 'id', 'kind', 'amount', 'currency', 'rail', 'railReference', 'orderId'] as const),
    ...(['resourceType', 'resourceId', 'at'] as const),
  ]
  await tx.many(insertSql, names.map(column))
}

const closeUnansweredSql = sql`
  update review_items i set status = 'resolved', resolved_at = $4, note = $3
    from unnest($1::uuid[], $2::uuid[]) as k (organization_id, id)
   where i.organization_id = k.organization_id and i.resource_id = k.id and i.status = 'open'
     and i.kind in ('unanswered_payment', 'unanswered_payout')`

export async function closeUnanswered(
  tx: Tx,
  resources: readonly { organizationId: string; id: string }[],
  note: string,
  at: Date,
): Promise<void> {
  await tx.many(closeUnansweredSql, [
    resources.map((one) => one.organizationId),
    resources.map((one) => one.id),
    note,
    at,
  ])
}

const columns = `
  i.organization_id as "organizationId", i.id, i.kind, i.status, i.amount, i.currency, i.rail,
  i.rail_reference as "railReference", i.order_id as "orderId", i.resource_type as "resourceType",
  i.resource_id as "resourceId", i.note, i.resolved_by as "resolvedBy", i.return_at as "returnAt",
  i.return_count as "returnCount", i.return_reference as "returnReference", i.created_at as "createdAt", i.resolved_at as "resolvedAt"`

const findSql = sql<ReviewItemRow>`select ${columns} from review_items i where i.organization_id = $1 and i.id = $2`

export function findItem(db: Db, organizationId: string, id: string): Promise<ReviewItemRow | undefined> {
  return db.maybe(findSql, [organizationId, id])
}

export function listItems(db: Db, organizationId: string, query: ReviewItemQuery): Promise<Page<ReviewItemRow>> {
  return listPage(
    db,
    { columns, from: 'review_items i', id: 'i.id' },
    [
      { text: 'i.organization_id = ?', value: organizationId },
      ...(query.status === undefined ? [] : [{ text: 'i.status = ?', value: query.status }]),
    ],
    query,
  )
}

const lockSql = sql<ReviewItemRow>`
  select ${columns} from review_items i
    join unnest($1::uuid[], $2::uuid[]) as k (organization_id, id) on i.organization_id = k.organization_id and i.id = k.id
   order by i.organization_id, i.id for update of i`

export type ItemKey = { organizationId: string; id: string }

export function lockItems(tx: Tx, keys: readonly ItemKey[]): Promise<ReviewItemRow[]> {
  return tx.many(lockSql, [keys.map((key) => key.organizationId), keys.map((key) => key.id)])
}

const lockReturningSql = sql<ReviewItemRow>`
  select ${columns} from review_items i
    join unnest($1::text[], $2::text[]) as k (rail, reference) on i.rail = k.rail and i.return_reference = k.reference
   order by i.organization_id, i.id for update of i`

/** The items whose money rails speak of by its way back. */
export function lockReturning(tx: Tx, returned: readonly { rail: string; returnReference: string }[]) {
  return tx.many(lockReturningSql, [returned.map((one) => one.rail), returned.map((one) => one.returnReference)])
}

const findReturnsSql = sql<{ rail: string; returnReference: string }>`
  select i.rail, i.return_reference as "returnReference" from review_items i
    join unnest($1::text[], $2::text[]) as k (rail, reference) on i.rail = k.rail and i.return_reference = k.reference`

/** Those of the given returns that are on record. */
export function findReturns(db: Db, returned: readonly { rail: string; returnReference: string }[]) {
  return db.many(findReturnsSql, [returned.map((one) => one.rail), returned.map((one) => one.returnReference)])
}

const updateSql = sql`
  update review_items i
     set status = m.status, note = m.note, resolved_by = m.resolved_by, return_at = m.return_at,
         return_count = m.return_count, return_reference = m.return_reference, resolved_at = m.resolved_at
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::timestamptz[], $7::smallint[], $8::text[], $9::timestamptz[])
      as m (organization_id, id, status, note, resolved_by, return_at, return_count, return_reference, resolved_at)
   where i.organization_id = m.organization_id and i.id = m.id`

/** Writes what has changed on items this transaction holds locked. */
export async function updateItems(tx: Tx, items: readonly ReviewItemRow[]): Promise<void> {
  if (items.length === 0) return
  const column = (name: keyof ReviewItemRow) => items.map((item) => item[name])
  const names = [
    ...(['organizationId', 'id', 'status', 'note', 'resolvedBy', 'returnAt', 'returnCount'] as const),
    ...(['returnReference', 'resolvedAt'] as const),
  ]
  await tx.many(updateSql, names.map(column))
}

const dueReturnsSql = sql<ItemKey>`
  select organization_id as "organizationId", id from review_items where return_at <= $1 order by return_at limit $2`

export function findDueReturns(db: Db, now: Date, most: number): Promise<ItemKey[]> {
  return db.many(dueReturnsSql, [now, most])
}

const nextReturnSql = sql<{
  at: Date | null
}>`select min(return_at) as at from review_items where return_at is not null`

export async function nextReturnAt(db: Db): Promise<Date | null> {
  return (await db.one(nextReturnSql)).at
}

const stopReturnSql = sql`update review_items set return_at = null where organization_id = $1 and id = $2`

/** Leaves a return alone that could not be worked; it stays `returning` until somebody has looked. */
export async function stopReturn(tx: Tx, { organizationId, id }: ItemKey): Promise<void> {
  await tx.many(stopReturnSql, [organizationId, id])
}
