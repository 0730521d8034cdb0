import type { Db, Tx } from '../db/database.ts'
import { createdConditions, listPage, type Page } from '../db/paging.ts'
import { sql } from '../db/sql.ts'
import { announcing } from '../events/emit.ts'
import type { Currency } from '../money/currencies.ts'
import type { Minor } from '../money/money.ts'
import type { PayoutDestination, PayoutQuery } from './schema.ts'
import type { PayoutStatus, WaitingReason } from './states.ts'

export type PayoutKey = { readonly organizationId: string; readonly id: string }

export type PayoutRow = {
  organizationId: string
  id: string
  reference: string
  status: PayoutStatus
  failureReason: string | null
  waitingReason: WaitingReason | null
  payoutAccountId: string
  destination: PayoutDestination
  sourceAmount: Minor
  sourceCurrency: Currency
  targetAmount: Minor
  targetCurrency: Currency
  exchangeRate: string
  feeAmount: Minor
  narration: string | null
  metadata: Record<string, string> | null
  requiresApproval: boolean
  approvedBy: string | null
  approvedAt: Date | null
  providerReference: string | null
  returnedAt: Date | null
  returnReason: string | null
  returnTransferId: string | null
  createdBy: string
  madeBy: string | null
  createdAt: Date
  updatedAt: Date
  completedAt: Date | null
  /** Times as PostgreSQL writes them in JSON. */
  statusHistory: { status: PayoutStatus; at: string }[]
}

const columns = `
  p.organization_id as "organizationId", p.id, p.reference, p.status, p.failure_reason as "failureReason",
  p.waiting_reason as "waitingReason", p.payout_account_id as "payoutAccountId", p.destination,
  p.source_amount as "sourceAmount", p.source_currency as "sourceCurrency", p.target_amount as "targetAmount",
  p.target_currency as "targetCurrency", p.exchange_rate::text as "exchangeRate", p.fee_amount as "feeAmount",
  p.narration, p.metadata, p.requires_approval as "requiresApproval", p.approved_by as "approvedBy",
  p.approved_at as "approvedAt", p.provider_reference as "providerReference", p.returned_at as "returnedAt",
  p.return_reason as "returnReason", p.return_transfer_id as "returnTransferId", p.created_by as "createdBy",
  p.made_by as "madeBy", p.created_at as "createdAt", p.updated_at as "updatedAt", p.completed_at as "completedAt",
  (select json_agg(json_build_object('status', h.status, 'at', h.at) order by h.number) from status_history h
    where h.organization_id = p.organization_id and h.resource_id = p.id) as "statusHistory"`

const findSql = sql<PayoutRow>`select ${columns} from payouts p where p.organization_id = $1 and p.id = $2`

export function findPayout(db: Db, { organizationId, id }: PayoutKey): Promise<PayoutRow | undefined> {
  return db.maybe(findSql, [organizationId, id])
}

export function listPayouts(db: Db, organizationId: string, query: PayoutQuery): Promise<Page<PayoutRow>> {
  return listPage(
    db,
    { columns, from: 'payouts p', id: 'p.id' },
    [
      { text: 'p.organization_id = ?', value: organizationId },
      ...(query.status === undefined ? [] : [{ text: 'p.status = ?', value: query.status }]),
      ...(query.payoutAccountId === undefined
        ? []
        : [{ text: 'p.payout_account_id = ?', value: query.payoutAccountId }]),
      ...(query.reference === undefined ? [] : [{ text: 'p.reference = ?', value: query.reference }]),
      ...createdConditions(query, 'p.id'),
    ],
    query,
  )
}

const lockSql = sql<PayoutRow>`
  select ${columns} from payouts p
    join unnest($1::uuid[], $2::uuid[]) as k (organization_id, id) on (p.organization_id, p.id) = (k.organization_id, k.id)
   order by p.organization_id, p.id for update of p`

/** Takes payouts in one order for everybody, so that two batches never wait for each other in a circle. */
export function lockPayouts(tx: Tx, keys: readonly PayoutKey[]): Promise<PayoutRow[]> {
  return tx.many(lockSql, [keys.map((key) => key.organizationId), keys.map((key) => key.id)])
}

export type NewPayoutRow = PayoutRow & {
  rateSource: string
  rateAsOf: Date
  quoteId: string | null
  eventId: string
  /** The exact bytes of the event that announces it. */
  payload: string
}

// The payout, the history of its first status, its event and deliveries, in one round trip. A reference that is taken
// leaves its payout out, and everything that would follow from it.
const insertSql = sql<{ id: string; deliveries: number }>`
  with input as (
    select organization_id, id, reference, status, payout_account_id, destination, source_amount, source_currency, target_amount,
           target_currency, exchange_rate, rate_source, rate_as_of, quote_id, fee_amount, narration, metadata,
           requires_approval, created_by, made_by, created_at, event_id, payload
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::text[], $7::bigint[], $8::text[], $9::bigint[],
                  $10::text[], $11::numeric[], $12::text[], $13::timestamptz[], $14::uuid[], $15::bigint[], $16::text[], $17::text[],
                  $18::boolean[], $19::uuid[], $20::uuid[], $21::timestamptz[], $22::uuid[], $23::text[])
        as t (organization_id, id, reference, status, payout_account_id, destination, source_amount, source_currency, target_amount,
              target_currency, exchange_rate, rate_source, rate_as_of, quote_id, fee_amount, narration, metadata,
              requires_approval, created_by, made_by, created_at, event_id, payload)
  ), payout as (
    insert into payouts (organization_id, id, reference, status, payout_account_id, destination, source_amount, source_currency,
                         target_amount, target_currency, exchange_rate, rate_source, rate_as_of, quote_id, fee_amount, narration,
                         metadata, requires_approval, created_by, made_by, created_at, updated_at)
    select organization_id, id, reference, status, payout_account_id, destination::jsonb, source_amount, source_currency,
           target_amount, target_currency, exchange_rate, rate_source, rate_as_of, quote_id, fee_amount, narration,
           metadata::jsonb, requires_approval, created_by, made_by, created_at, created_at
      from input
    on conflict on constraint payouts_reference_taken do nothing
    returning organization_id, id
  ), history as (
    insert into status_history (organization_id, resource_id, number, resource_type, status, event_id, at)
    select i.organization_id, i.id, 1, 'payout', i.status, i.event_id, i.created_at
      from input i join payout p on (p.organization_id, p.id) = (i.organization_id, i.id)
  ), announced as (
    select i.organization_id, i.event_id as id, 'payout.created' as type, i.payload, i.created_at
      from input i join payout p on (p.organization_id, p.id) = (i.organization_id, i.id)
  ), ${announcing}
  select id, (select count(*)::integer from delivery) as deliveries from payout`

/** Writes new payouts with their first status; answers the ids of those whose reference was free. */
export async function insertPayouts(tx: Tx, rows: readonly NewPayoutRow[]): Promise<Set<string>> {
  const column = (name: keyof NewPayoutRow) => rows.map((row) => row[name])
  const json = (name: 'destination' | 'metadata') => rows.map((row) => row[name] && JSON.stringify(row[name]))
  const first = ['organizationId', 'id', 'reference', 'status', 'payoutAccountId'] as const
  const second = ['sourceAmount', 'sourceCurrency', 'targetAmount', 'targetCurrency', 'exchangeRate'] as const
  const third = ['rateSource', 'rateAsOf', 'quoteId', 'feeAmount', 'narration'] as const
  const fourth = ['requiresApproval', 'createdBy', 'madeBy', 'createdAt', 'eventId', 'payload'] as const
  const inserted = await tx.many(insertSql, [
    ...first.map(column),
    json('destination'),
    ...second.map(column),
    ...third.map(column),
    json('metadata'),
    ...fourth.map(column),
  ])
  if (inserted[0] && inserted[0].deliveries > 0) tx.wake('webhooks')
  return new Set(inserted.map(({ id }) => id))
}

export type ReferenceKey = { readonly organizationId: string; readonly reference: string }

// The limit keeps it a look-up for each: a join planned while there were few payouts would read them all.
const takenSql = sql<ReferenceKey>`
  select p.organization_id as "organizationId", p.reference
    from unnest($1::uuid[], $2::text[]) as k (organization_id, reference)
   cross join lateral (select organization_id, reference from payouts
                        where organization_id = k.organization_id and reference = k.reference limit 1) p`

/** Which of these references have a payout already. */
export function findTakenReferences(db: Db, keys: readonly ReferenceKey[]): Promise<ReferenceKey[]> {
  return db.many(takenSql, [keys.map(({ organizationId }) => organizationId), keys.map(({ reference }) => reference)])
}

export type StatusUpdate = PayoutKey & {
  readonly from: PayoutStatus
  readonly to: PayoutStatus
  readonly at: Date
  readonly failureReason?: string | null
  readonly providerReference?: string | null
  readonly approvedBy?: string | null
}

const updateStatusSql = sql<PayoutRow & { previousStatus: PayoutStatus }>`
  update payouts p
     set status = m.new_status, failure_reason = m.failure_reason, waiting_reason = null,
         provider_reference = coalesce(m.provider_reference, p.provider_reference),
         approved_by = coalesce(m.approved_by, p.approved_by),
         approved_at = case when m.approved_by is null then p.approved_at else m.at end,
         completed_at = case when m.new_status = 'completed' then m.at end, updated_at = m.at
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::uuid[])
      as m (organization_id, id, old_status, new_status, at, failure_reason, provider_reference, approved_by)
   where (p.organization_id, p.id) = (m.organization_id, m.id) and p.status = m.old_status
  returning ${columns}, m.old_status as "previousStatus"`

/** Moves those that are still in their old status; answers what really moved, its history without this move. */
export function updateStatus(tx: Tx, updates: readonly StatusUpdate[]) {
  const column = (name: keyof StatusUpdate) => updates.map((update) => update[name] ?? null)
  const names = [
    'organizationId',
    'id',
    'from',
    'to',
    'at',
    'failureReason',
    'providerReference',
    'approvedBy',
  ] as const
  return tx.many(updateStatusSql, names.map(column))
}

export type Return = PayoutKey & { readonly at: Date; readonly reason: string; readonly transferId: string }

const returnSql = sql`
  update payouts p set returned_at = m.at, return_reason = m.reason, return_transfer_id = m.transfer_id, updated_at = m.at
    from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::uuid[]) as m (organization_id, id, at, reason, transfer_id)
   where (p.organization_id, p.id) = (m.organization_id, m.id) and p.status = 'completed' and p.returned_at is null`

export async function markReturned(tx: Tx, returns: readonly Return[]): Promise<void> {
  const column = (name: keyof Return) => returns.map((one) => one[name])
  await tx.many(returnSql, (['organizationId', 'id', 'at', 'reason', 'transferId'] as const).map(column))
}

const undecidedSql = sql<PayoutKey>`
  select organization_id as "organizationId", id from payouts
   where status = 'pending_approval' and set_aside_at is null and created_at <= $1
   order by created_at limit $2`

export function findUndecided(db: Db, createdBefore: Date, most: number): Promise<PayoutKey[]> {
  return db.many(undecidedSql, [createdBefore, most])
}

const oldestUndecidedSql = sql<{ at: Date | null }>`
  select min(created_at) as at from payouts where status = 'pending_approval' and set_aside_at is null`

export async function oldestUndecidedAt(db: Db): Promise<Date | null> {
  return (await db.one(oldestUndecidedSql)).at
}

const setAsideSql = sql`update payouts set set_aside_at = $3 where organization_id = $1 and id = $2`

export async function setAside(tx: Tx, key: PayoutKey, at: Date): Promise<void> {
  await tx.many(setAsideSql, [key.organizationId, key.id, at])
}
