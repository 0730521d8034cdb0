import type { Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Currency } from '../money/currencies.ts'
import { chart, type AccountKind } from './chart.ts'

const openAccountsSql = sql`
  insert into ledger_accounts (organization_id, currency, kind, may_overdraw)
  select organization_id, currency, kind, may_overdraw
    from unnest($1::uuid[]) organization_id, unnest($2::text[]) currency, unnest($3::text[], $4::boolean[]) as chart (kind, may_overdraw)
  on conflict do nothing`

/** Gives organizations every account of the chart in every currency; those that exist stay as they are. */
export async function openAccounts(
  tx: Tx,
  currencies: readonly Currency[],
  organizationIds: readonly string[],
): Promise<void> {
  const kinds = Object.entries(chart)
  await tx.many(openAccountsSql, [
    organizationIds,
    currencies,
    kinds.map(([kind]) => kind),
    kinds.map(([, { mayOverdraw }]) => mayOverdraw),
  ])
}

const lockBalancesSql = sql<{ currency: Currency; kind: AccountKind; balance: bigint }>`
  select currency, kind, credits - debits as balance from ledger_accounts
   where organization_id = $1 and currency = any($2::text[]) and kind = any($3::text[])
   order by organization_id, currency, kind for no key update`

/**
 * Takes an organization's accounts in the order postings take them, so that what is decided about their balances still
 * holds when it is posted. Answers what the first kind has in each currency.
 */
export async function lockBalances(
  tx: Tx,
  organizationId: string,
  currencies: readonly Currency[],
  kinds: readonly [AccountKind, ...AccountKind[]],
): Promise<Map<Currency, bigint>> {
  const rows = await tx.many(lockBalancesSql, [organizationId, currencies, kinds])
  return new Map(rows.filter(({ kind }) => kind === kinds[0]).map((row) => [row.currency, row.balance]))
}
