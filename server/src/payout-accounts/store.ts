import { violated, type Db, type Tx } from '../db/database.ts'
import { listPage, type Page } from '../db/paging.ts'
import { sql } from '../db/sql.ts'
import { Refusal } from '../errors.ts'
import type { Currency } from '../money/currencies.ts'
import type { BeneficiaryType } from '../rails/rail.ts'
import type { PayoutAccountQuery } from './schema.ts'

export type PayoutAccountRow = {
  id: string
  accountType: BeneficiaryType
  accountNumber: string
  accountName: string
  bankCode: string | null
  bankName: string | null
  institutionId: string | null
  routingNumber: string | null
  currency: Currency
  country: string
  nickname: string | null
  metadata: Record<string, string> | null
  isActive: boolean
  createdAt: Date
  updatedAt: Date
}

const columns = `
  a.id, a.account_type as "accountType", a.account_number as "accountNumber", a.account_name as "accountName",
  a.bank_code as "bankCode", a.bank_name as "bankName", a.institution_id as "institutionId",
  a.routing_number as "routingNumber", a.currency, a.country, a.nickname, a.metadata,
  a.is_active as "isActive", a.created_at as "createdAt", a.updated_at as "updatedAt"`

const insertSql = sql<PayoutAccountRow>`
  insert into payout_accounts as a (organization_id, id, account_type, account_number, account_name, bank_code, bank_name,
                                    institution_id, routing_number, currency, country, destination_key, nickname, metadata,
                                    created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $15)
  on conflict (organization_id, destination_key) where deleted_at is null do nothing
  returning ${columns}`

export type NewRow = Omit<PayoutAccountRow, 'isActive' | 'updatedAt'> & {
  organizationId: string
  destinationKey: string
}

/** Writes a new beneficiary; undefined when one with this destination is there. */
export function insertAccount(tx: Tx, row: NewRow): Promise<PayoutAccountRow | undefined> {
  const { organizationId, id, accountType, accountNumber, accountName, bankCode, bankName, institutionId } = row
  const { routingNumber, currency, country, destinationKey, nickname, metadata, createdAt } = row
  const named = [organizationId, id, accountType, accountNumber, accountName, bankCode, bankName, institutionId]
  return tx.maybe(insertSql, [
    ...named,
    routingNumber,
    currency,
    country,
    destinationKey,
    nickname,
    metadata,
    createdAt,
  ])
}

const findByDestinationSql = sql<PayoutAccountRow>`
  select ${columns} from payout_accounts a
   where a.organization_id = $1 and a.destination_key = $2 and a.deleted_at is null`

export function findByDestination(db: Db, organizationId: string, key: string): Promise<PayoutAccountRow | undefined> {
  return db.maybe(findByDestinationSql, [organizationId, key])
}

const findSql = sql<PayoutAccountRow>`
  select ${columns} from payout_accounts a where a.organization_id = $1 and a.id = $2 and a.deleted_at is null`

export function findAccount(db: Db, organizationId: string, id: string): Promise<PayoutAccountRow | undefined> {
  return db.maybe(findSql, [organizationId, id])
}

const lockSql = sql<PayoutAccountRow>`
  select ${columns} from payout_accounts a
   where a.organization_id = $1 and a.id = $2 and a.deleted_at is null for update`

/** Takes the row so that no payout to it can begin meanwhile. */
export function lockAccount(tx: Tx, organizationId: string, id: string): Promise<PayoutAccountRow | undefined> {
  return tx.maybe(lockSql, [organizationId, id])
}

const shareSql = sql<PayoutAccountRow & { organizationId: string; approvalThresholds: Record<string, string> }>`
  select a.organization_id as "organizationId", ${columns},
         (select o.approval_thresholds from organizations o where o.id = a.organization_id) as "approvalThresholds"
    from payout_accounts a
    join unnest($1::uuid[], $2::uuid[]) as k (organization_id, id) on (a.organization_id, a.id) = (k.organization_id, k.id)
   where a.deleted_at is null for key share of a`

export type AccountKey = { readonly organizationId: string; readonly id: string }

/** Reads beneficiaries, and what their organizations want approved, so that none can be removed before this transaction ends. */
export function shareAccounts(tx: Tx, keys: readonly AccountKey[]) {
  return tx.many(shareSql, [keys.map(({ organizationId }) => organizationId), keys.map(({ id }) => id)])
}

export function listAccounts(
  db: Db,
  organizationId: string,
  query: PayoutAccountQuery,
): Promise<Page<PayoutAccountRow>> {
  return listPage(
    db,
    { columns, from: 'payout_accounts a', id: 'a.id' },
    [
      { text: 'a.organization_id = ?', value: organizationId },
      { text: '(a.deleted_at is null) = ?', value: true },
      ...(query.accountType === undefined ? [] : [{ text: 'a.account_type = ?', value: query.accountType }]),
      ...(query.currency === undefined ? [] : [{ text: 'a.currency = ?', value: query.currency }]),
      ...(query.isActive === undefined ? [] : [{ text: 'a.is_active = ?', value: query.isActive }]),
    ],
    query,
  )
}

const updateSql = sql<PayoutAccountRow>`
  update payout_accounts a
     set account_number = $3, account_name = $4, bank_code = $5, bank_name = $6, institution_id = $7, routing_number = $8,
         destination_key = $9, nickname = $10, metadata = $11, is_active = $12, updated_at = $13
   where a.organization_id = $1 and a.id = $2 and a.deleted_at is null
  returning ${columns}`

export async function updateAccount(
  tx: Tx,
  organizationId: string,
  row: PayoutAccountRow,
  destinationKey: string,
): Promise<PayoutAccountRow> {
  const { id, accountNumber, accountName, bankCode, bankName, institutionId, routingNumber } = row
  const { nickname, metadata, isActive, updatedAt } = row
  try {
    const named = [organizationId, id, accountNumber, accountName, bankCode, bankName, institutionId, routingNumber]
    return await tx.one(updateSql, [...named, destinationKey, nickname, metadata, isActive, updatedAt])
  } catch (error) {
    if (violated(error) === 'payout_accounts_one_per_destination') throw new Refusal('payout_account_exists')
    throw error
  }
}

const openPayoutSql = sql<{ exists: boolean }>`
  select exists (select from payouts where organization_id = $1 and payout_account_id = $2
                    and status in ('pending_approval', 'pending', 'processing')) as exists`

export async function hasOpenPayout(tx: Tx, organizationId: string, id: string): Promise<boolean> {
  return (await tx.one(openPayoutSql, [organizationId, id])).exists
}

const removeSql = sql`update payout_accounts set deleted_at = $3, updated_at = $3 where organization_id = $1 and id = $2`

export async function removeAccount(tx: Tx, organizationId: string, id: string, at: Date): Promise<void> {
  await tx.many(removeSql, [organizationId, id, at])
}
