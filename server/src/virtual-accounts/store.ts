import type { Db, Tx } from '../db/database.ts'
import { plainList } from '../db/arrays.ts'
import { listPage, type Page } from '../db/paging.ts'
import { sql } from '../db/sql.ts'
import type { EventType } from '../events/catalogue.ts'
import { announcing } from '../events/emit.ts'
import type { Currency } from '../money/currencies.ts'
import type { Minor } from '../money/money.ts'
import type { BankAccount } from '../rails/rail.ts'
import type { CreditQuery, VirtualAccount } from './schema.ts'

export type Entity = { readonly entityType: VirtualAccount['entityType']; readonly entityId: string }

export type VirtualAccountRow = Entity & {
  organizationId: string
  id: string
  rail: string
  accountReference: string
  accountName: string
  accounts: BankAccount[]
  status: 'opening' | 'open'
  isActive: boolean
  createdAt: Date
}

const columns = `
  organization_id as "organizationId", id, entity_type as "entityType", entity_id as "entityId", rail,
  account_reference as "accountReference", account_name as "accountName", accounts, status,
  is_active as "isActive", created_at as "createdAt"`

export type NewVirtualAccount = Omit<VirtualAccountRow, 'accounts' | 'status' | 'isActive'>

const insertSql = sql`
  insert into virtual_accounts (organization_id, id, entity_type, entity_id, rail, account_reference, account_name, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict on constraint virtual_accounts_one_per_provider do nothing`

/** Writes down that an account will be asked for, unless one was asked for before. */
export async function insertVirtualAccount(tx: Tx, account: NewVirtualAccount): Promise<void> {
  const { organizationId, id, entityType, entityId, rail, accountReference, accountName, createdAt } = account
  await tx.many(insertSql, [organizationId, id, entityType, entityId, rail, accountReference, accountName, createdAt])
}

const findOfEntitySql = sql<VirtualAccountRow>`
  select ${columns} from virtual_accounts where organization_id = $1 and entity_type = $2 and entity_id = $3 and rail = $4`

/** An entity's account at a provider, also one that is still being opened. */
export function findOfEntity(db: Db, organizationId: string, entity: Entity, rail: string) {
  return db.maybe(findOfEntitySql, [organizationId, entity.entityType, entity.entityId, rail])
}

const openSql = sql<VirtualAccountRow>`
  with opened as (
    update virtual_accounts set status = 'open', accounts = $3, created_at = $4
     where organization_id = $1 and id = $2 and status = 'opening'
    returning ${columns}
  ), listed as (
    insert into virtual_account_directory (account_number, rail, organization_id, virtual_account_id)
    select number, opened.rail, opened."organizationId", opened.id from opened, unnest($5::text[]) number
  )
  select "organizationId", id, "entityType", "entityId", rail, "accountReference", "accountName", accounts, status,
         "isActive", "createdAt" from opened`

/** Opens an account with the numbers its provider gave; undefined when somebody else did so already. */
export function openVirtualAccount(
  tx: Tx,
  { organizationId, id }: { organizationId: string; id: string },
  accounts: readonly BankAccount[],
  at: Date,
): Promise<VirtualAccountRow | undefined> {
  const numbers = accounts.map(({ accountNumber }) => accountNumber)
  return tx.maybe(openSql, [organizationId, id, JSON.stringify(accounts), at, numbers])
}

const findOpenSql = sql<VirtualAccountRow>`
  select ${columns} from virtual_accounts where organization_id = $1 and id = $2 and status = 'open'`

export function findVirtualAccount(db: Db, organizationId: string, id: string): Promise<VirtualAccountRow | undefined> {
  return db.maybe(findOpenSql, [organizationId, id])
}

const listOfEntitySql = sql<VirtualAccountRow>`
  select ${columns} from virtual_accounts
   where organization_id = $1 and entity_type = $2 and entity_id = $3 and status = 'open' order by created_at desc, id desc`

export function listOfEntity(db: Db, organizationId: string, entity: Entity): Promise<VirtualAccountRow[]> {
  return db.many(listOfEntitySql, [organizationId, entity.entityType, entity.entityId])
}

const findOldestOwnSql = sql<BankAccount>`
  select a.account ->> 'bankCode' as "bankCode", a.account ->> 'bankName' as "bankName",
         a.account ->> 'accountNumber' as "accountNumber", a.account ->> 'accountName' as "accountName"
    from virtual_accounts v, json_array_elements(v.accounts) with ordinality as a (account, position)
   where v.organization_id = $1 and v.entity_type = 'organization' and v.entity_id = $1
     and v.status = 'open' and v.is_active
   order by v.created_at, v.id, a.position limit 1`

export function findOldestOwn(db: Db, organizationId: string): Promise<BankAccount | undefined> {
  return db.maybe(findOldestOwnSql, [organizationId])
}

export type Listed = { rail: string; organizationId: string }

const findByNumberSql = sql<Listed>`
  select rail, organization_id as "organizationId" from virtual_account_directory where account_number = $1`

/** Whose an account number is, at each provider that gave it out. */
export function findByNumber(db: Db, accountNumber: string): Promise<Listed[]> {
  return db.many(findByNumberSql, [accountNumber])
}

export type AccountNumber = { readonly rail: string; readonly accountNumber: string }
export type MatchedAccount = Entity &
  AccountNumber & { organizationId: string; virtualAccountId: string; accountReference: string }

const matchSql = sql<MatchedAccount>`
  select d.rail, d.account_number as "accountNumber", v.organization_id as "organizationId", v.id as "virtualAccountId",
         v.account_reference as "accountReference", v.entity_type as "entityType", v.entity_id as "entityId"
    from unnest($1::text[], $2::text[]) as n (rail, account_number)
    join virtual_account_directory d on d.account_number = n.account_number and d.rail = n.rail
    join virtual_accounts v on v.organization_id = d.organization_id and v.id = d.virtual_account_id`

/** The accounts behind many numbers at once; numbers nobody gave out are not among them. */
export function matchNumbers(db: Db, numbers: readonly AccountNumber[]): Promise<MatchedAccount[]> {
  return db.many(matchSql, [numbers.map(({ rail }) => rail), numbers.map(({ accountNumber }) => accountNumber)])
}

export type CreditRow = {
  organizationId: string
  id: string
  virtualAccountId: string
  rail: string
  transactionReference: string
  accountNumber: string
  grossAmount: Minor
  feeAmount: Minor
  netAmount: Minor
  currency: Currency
  payerName: string | null
  payerEmail: string | null
  eventId: string
  createdAt: Date
}

/** What announces a credit. */
export const CREDITED = 'virtual_account.credited' satisfies EventType

const insertCreditsSql = sql<{ id: string; deliveries: number }>`
  with credit as (
    insert into virtual_account_credits (organization_id, id, virtual_account_id, rail, transaction_reference, account_number,
                                         gross_amount, fee_amount, net_amount, currency, payer_name, payer_email, event_id, created_at)
    select organization_id, id, virtual_account_id, rail, transaction_reference, account_number,
           gross_amount, fee_amount, net_amount, currency, payer_name, payer_email, event_id, $15
      from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[],
                  $9::bigint[], $10::text[], $11::text[], $12::text[], $13::uuid[])
        as t (organization_id, id, virtual_account_id, rail, transaction_reference, account_number,
              gross_amount, fee_amount, net_amount, currency, payer_name, payer_email, event_id)
    on conflict on constraint virtual_account_credits_once do nothing returning organization_id, id, event_id
  ), announced as (
    select c.organization_id, c.event_id as id, '${CREDITED}' as type, t.payload, $15::timestamptz as created_at
      from credit c join unnest($13::uuid[], $14::text[]) as t (event_id, payload) on t.event_id = c.event_id
  ), ${announcing}
  select id, (select count(*) from delivery)::integer as deliveries from credit`

/** Writes credits down with their events, each once; answers the ids of those that were new. */
export async function insertCredits(
  tx: Tx,
  rows: readonly CreditRow[],
  payloads: readonly string[],
  at: Date,
): Promise<Set<string>> {
  const column = (name: keyof CreditRow) => rows.map((row) => row[name])
  const plain = (name: keyof CreditRow) => plainList(rows.map((row) => row[name] as string | bigint))
  const added = await tx.many(insertCreditsSql, [
    ...(['organizationId', 'id', 'virtualAccountId'] as const).map(plain),
    ...(['rail', 'transactionReference', 'accountNumber'] as const).map(column),
    ...(['grossAmount', 'feeAmount', 'netAmount', 'currency'] as const).map(plain),
    ...(['payerName', 'payerEmail'] as const).map(column),
    plain('eventId'),
    payloads,
    at,
  ])
  if ((added[0]?.deliveries ?? 0) > 0) tx.wake('webhooks')
  return new Set(added.map(({ id }) => id))
}

export type ListedCredit = CreditRow & Entity & { accountReference: string }

export function listCredits(
  db: Db,
  organizationId: string,
  virtualAccountId: string,
  query: CreditQuery,
): Promise<Page<ListedCredit>> {
  return listPage(
    db,
    {
      columns: `
        c.organization_id as "organizationId", c.id, c.virtual_account_id as "virtualAccountId", c.rail,
        c.transaction_reference as "transactionReference", c.account_number as "accountNumber",
        c.gross_amount as "grossAmount", c.fee_amount as "feeAmount", c.net_amount as "netAmount", c.currency,
        c.payer_name as "payerName", c.payer_email as "payerEmail", c.event_id as "eventId", c.created_at as "createdAt",
        v.account_reference as "accountReference", v.entity_type as "entityType", v.entity_id as "entityId"`,
      from: `virtual_account_credits c
        join virtual_accounts v on v.organization_id = c.organization_id and v.id = c.virtual_account_id`,
      id: 'c.id',
    },
    [
      { text: 'c.organization_id = ?', value: organizationId },
      { text: 'c.virtual_account_id = ?', value: virtualAccountId },
    ],
    query,
  )
}
