import type { Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Currency } from '../money/currencies.ts'
import { chart } from './chart.ts'

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
