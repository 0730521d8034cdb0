import type { Db } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Currency } from '../money/currencies.ts'
import type { Minor } from '../money/money.ts'
import type { AccountKind, LineKind } from './chart.ts'

export type StatementLine = {
  number: bigint
  id: string
  direction: 'credit' | 'debit'
  amount: Minor
  balanceAfter: Minor
  kind: LineKind
  resourceType: string
  resourceId: string
  reference: string | null
  description: string | null
  createdAt: Date
}

const common = `id, amount, kind, resource_type as "resourceType", resource_id as "resourceId", reference, description, created_at as "createdAt"`

// Lines of an account are numbered without gaps, so that any page is a range of numbers: two short index scans,
// whether it is the first page or the ten-thousandth.
const statementSql = sql<StatementLine>`
  (select debit_line as number, 'debit' as direction, debit_balance as "balanceAfter", ${common} from ledger_lines
    where organization_id = $1 and currency = $2 and debit = $3 and debit_line <= $4 and debit_line > $5)
  union all
  (select credit_line, 'credit', credit_balance, ${common} from ledger_lines
    where organization_id = $1 and currency = $2 and credit = $3 and credit_line <= $4 and credit_line > $5)
  order by number desc`

/** The lines of an account numbered `newest` down to `newest - count + 1`. */
export function readStatement(
  db: Db,
  account: { organizationId: string; currency: Currency; kind: AccountKind },
  newest: bigint,
  count: number,
) {
  const { organizationId, currency, kind } = account
  return db.many(statementSql, [organizationId, currency, kind, newest, newest - BigInt(count)])
}

const lineCountSql = sql<{ lines: bigint }>`
  select lines from ledger_accounts where organization_id = $1 and currency = $2 and kind = $3`

/** How many lines an account has: read from its counter, never counted; undefined where there is no such account. */
export async function countLines(
  db: Db,
  { organizationId, currency, kind }: { organizationId: string; currency: Currency; kind: AccountKind },
): Promise<bigint | undefined> {
  return (await db.maybe(lineCountSql, [organizationId, currency, kind]))?.lines
}
