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

const lockBalancesSql = sql<WalletKey & { kind: AccountKind; balance: bigint }>`
  select a.organization_id as "organizationId", a.currency, a.kind, a.credits - a.debits as balance
    from ledger_accounts a
    join unnest($1::uuid[], $2::text[]) as w (organization_id, currency)
      on (a.organization_id, a.currency) = (w.organization_id, w.currency) and a.kind = any($3::text[])
   order by a.organization_id, a.currency, a.kind for no key update of a`

export type WalletKey = { readonly organizationId: string; readonly currency: Currency }

/**
 * Takes accounts of wallets in the order postings take them, so that what is decided about their balances still
 * holds when it is posted. Answers what each wallet's account of the first kind has.
 */
export async function lockBalances(
  tx: Tx,
  wallets: readonly WalletKey[],
  kinds: readonly [AccountKind, ...AccountKind[]],
): Promise<readonly (WalletKey & { readonly balance: bigint })[]> {
  const organizationIds = wallets.map(({ organizationId }) => organizationId)
  const currencies = wallets.map(({ currency }) => currency)
  const rows = await tx.many(lockBalancesSql, [organizationIds, currencies, kinds])
  return rows.filter(({ kind }) => kind === kinds[0])
}
