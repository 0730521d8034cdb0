import type { Db, Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Currency } from '../money/currencies.ts'
import type { Minor } from '../money/money.ts'

export type WalletRow = {
  id: string
  currency: Currency
  balance: Minor
  pendingBalance: Minor
  heldBalance: Minor
  createdAt: Date
}

const insertWalletsSql = sql`
  insert into wallets (organization_id, id, currency, created_at)
  select organization_id, uuid_of($3), currency, $3 from unnest($1::uuid[]) organization_id, unnest($2::text[]) currency
  on conflict do nothing`

export async function insertWallets(
  tx: Tx,
  organizationIds: readonly string[],
  currencies: readonly Currency[],
  at: Date,
): Promise<void> {
  await tx.many(insertWalletsSql, [organizationIds, currencies, at])
}

const withoutWalletSql = sql<{ id: string }>`
  select o.id from organizations o
   where exists (select from unnest($1::text[]) currency
                  where not exists (select from wallets w where w.organization_id = o.id and w.currency = currency))`

/** Organizations that lack a wallet in one of these currencies. */
export async function findOrganizationsWithoutWallet(db: Db, currencies: readonly Currency[]): Promise<string[]> {
  return (await db.many(withoutWalletSql, [currencies])).map(({ id }) => id)
}

const balances = `
  w.id, w.currency, w.created_at as "createdAt",
  a.credits - a.debits as balance, p.credits - p.debits as "pendingBalance", h.credits - h.debits as "heldBalance"`
const walletTables = `
  wallets w
  join ledger_accounts a on (a.organization_id, a.currency, a.kind) = (w.organization_id, w.currency, 'available')
  join ledger_accounts p on (p.organization_id, p.currency, p.kind) = (w.organization_id, w.currency, 'pending')
  join ledger_accounts h on (h.organization_id, h.currency, h.kind) = (w.organization_id, w.currency, 'held')`

const listWalletsSql = sql<WalletRow>`
  select ${balances} from ${walletTables} where w.organization_id = $1 order by array_position($2::text[], w.currency), w.currency`

export function listWallets(db: Db, organizationId: string, order: readonly Currency[]): Promise<WalletRow[]> {
  return db.many(listWalletsSql, [organizationId, order])
}

const findWalletSql = sql<WalletRow>`
  select ${balances} from ${walletTables} where w.organization_id = $1 and w.currency = $2`

export function findWallet(db: Db, organizationId: string, currency: Currency): Promise<WalletRow | undefined> {
  return db.maybe(findWalletSql, [organizationId, currency])
}
