import { violated, type Db, type Tx } from '../db/database.ts'
import { createdConditions, listPage, type Page } from '../db/paging.ts'
import { sql } from '../db/sql.ts'
import { Refusal } from '../errors.ts'
import type { Currency } from '../money/currencies.ts'
import type { Minor } from '../money/money.ts'
import type { TransferQuery } from './schema.ts'
import type { TransferStatus } from './states.ts'

export type TransferRow = {
  organizationId: string
  id: string
  kind: 'conversion' | 'organization' | 'payout_return' | 'review_credit'
  direction: 'out' | 'in'
  reference: string
  status: TransferStatus
  failureReason: string | null
  sourceAmount: Minor
  sourceCurrency: Currency
  targetAmount: Minor
  targetCurrency: Currency
  exchangeRate: string
  rateSource: string
  rateAsOf: Date
  quoteId: string | null
  sourceOrganizationId: string
  destinationOrganizationId: string
  payoutId: string | null
  description: string | null
  createdBy: string | null
  createdAt: Date
  completedAt: Date | null
}

const columns = `
  t.organization_id as "organizationId", t.id, t.kind, t.direction, t.reference, t.status, t.failure_reason as "failureReason",
  t.source_amount as "sourceAmount", t.source_currency as "sourceCurrency", t.target_amount as "targetAmount",
  t.target_currency as "targetCurrency", t.exchange_rate::text as "exchangeRate", t.rate_source as "rateSource",
  t.rate_as_of as "rateAsOf", t.quote_id as "quoteId", t.source_organization_id as "sourceOrganizationId",
  t.destination_organization_id as "destinationOrganizationId", t.payout_id as "payoutId", t.description,
  t.created_by as "createdBy", t.created_at as "createdAt", t.completed_at as "completedAt"`

const insertSql = sql`
  insert into transfers (organization_id, id, kind, direction, reference, status, source_amount, source_currency,
                         target_amount, target_currency, exchange_rate, rate_source, rate_as_of, quote_id,
                         source_organization_id, destination_organization_id, payout_id, description, created_by, created_at, completed_at)
  select organization_id, id, kind, direction, reference, status, source_amount, source_currency,
         target_amount, target_currency, exchange_rate, rate_source, rate_as_of, quote_id,
         source_organization_id, destination_organization_id, payout_id, description, created_by, created_at, completed_at
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[],
                $9::bigint[], $10::text[], $11::numeric[], $12::text[], $13::timestamptz[], $14::uuid[],
                $15::uuid[], $16::uuid[], $17::uuid[], $18::text[], $19::uuid[], $20::timestamptz[], $21::timestamptz[])
      as t (organization_id, id, kind, direction, reference, status, source_amount, source_currency,
            target_amount, target_currency, exchange_rate, rate_source, rate_as_of, quote_id,
            source_organization_id, destination_organization_id, payout_id, description, created_by, created_at, completed_at)`

export async function insertTransfers(tx: Tx, rows: readonly TransferRow[]): Promise<void> {
  const column = (name: keyof TransferRow) => rows.map((row) => row[name])
  const names = [
    ...([
      'organizationId',
      'id',
      'kind',
      'direction',
      'reference',
      'status',
      'sourceAmount',
      'sourceCurrency',
    ] as const),
    ...([
      'targetAmount',
      'targetCurrency',
      'exchangeRate',
      'rateSource',
      'rateAsOf',
      'quoteId',
      'sourceOrganizationId',
    ] as const),
    ...(['destinationOrganizationId', 'payoutId', 'description', 'createdBy', 'createdAt', 'completedAt'] as const),
  ]
  try {
    await tx.many(insertSql, names.map(column))
  } catch (error) {
    if (violated(error) === 'transfers_reference_taken') throw new Refusal('reference_taken', { param: 'reference' })
    throw error
  }
}

const findSql = sql<TransferRow>`select ${columns} from transfers t where t.organization_id = $1 and t.id = $2`

export function findTransfer(db: Db, organizationId: string, id: string): Promise<TransferRow | undefined> {
  return db.maybe(findSql, [organizationId, id])
}

export function listTransfers(db: Db, organizationId: string, query: TransferQuery): Promise<Page<TransferRow>> {
  return listPage(
    db,
    { columns, from: 'transfers t', id: 't.id' },
    [
      { text: 't.organization_id = ?', value: organizationId },
      ...(query.status === undefined ? [] : [{ text: 't.status = ?', value: query.status }]),
      ...(query.reference === undefined ? [] : [{ text: 't.reference = ?', value: query.reference }]),
      ...createdConditions(query, 't.id'),
    ],
    query,
  )
}

export type TransferKey = { organizationId: string; id: string }

const findPendingSql = sql<TransferKey>`
  select organization_id as "organizationId", id from transfers
   where status = 'pending' and set_aside_at is null and created_at <= $1 order by created_at limit $2`

export function findPending(db: Db, now: Date, most: number): Promise<TransferKey[]> {
  return db.many(findPendingSql, [now, most])
}

const oldestPendingSql = sql<{ at: Date | null }>`
  select min(created_at) as at from transfers where status = 'pending' and set_aside_at is null`

export async function oldestPendingAt(db: Db): Promise<Date | null> {
  return (await db.one(oldestPendingSql)).at
}

const lockPendingSql = sql<TransferRow & { mayEnter: boolean }>`
  select ${columns}, exists (select from organizations o where o.id = t.destination_organization_id and o.is_active) as "mayEnter"
    from transfers t
    join unnest($1::uuid[], $2::uuid[]) as k (organization_id, id) on (t.organization_id, t.id) = (k.organization_id, k.id)
   where t.status = 'pending' and t.set_aside_at is null
     for update of t skip locked`

/** Locks those of the given transfers that still wait, and says which can enter their destination. */
export function lockPending(tx: Tx, keys: readonly TransferKey[]) {
  return tx.many(lockPendingSql, [keys.map((key) => key.organizationId), keys.map((key) => key.id)])
}

export type StatusUpdate = TransferKey & {
  from: TransferStatus
  to: TransferStatus
  failureReason: string | null
  at: Date
}

const updateStatusSql = sql<TransferRow>`
  update transfers t
     set status = m.new_status, failure_reason = m.failure_reason,
         completed_at = case when m.new_status = 'completed' then m.at end
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
      as m (organization_id, id, old_status, new_status, failure_reason, at)
   where (t.organization_id, t.id) = (m.organization_id, m.id) and t.status = m.old_status
  returning ${columns}`

/** Moves those that are still in their old status; answers what really moved. */
export function updateStatus(tx: Tx, updates: readonly StatusUpdate[]): Promise<TransferRow[]> {
  const column = (name: keyof StatusUpdate) => updates.map((update) => update[name])
  return tx.many(updateStatusSql, (['organizationId', 'id', 'from', 'to', 'failureReason', 'at'] as const).map(column))
}

const setAsideSql = sql`update transfers set set_aside_at = $3 where organization_id = $1 and id = $2`

export async function setAside(tx: Tx, key: TransferKey, at: Date): Promise<void> {
  await tx.many(setAsideSql, [key.organizationId, key.id, at])
}
