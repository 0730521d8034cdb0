import type { Db } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Currency } from '../money/currencies.ts'
import type { AccountKind } from './chart.ts'
import type { Entry } from './seal.ts'

export type AccountKey = { readonly organizationId: string; readonly currency: Currency; readonly kind: AccountKind }

/** A whole line, as one of its two accounts sees it. */
export type WholeLine = {
  /** Which of the given accounts, counted from 1. */
  n: number
  number: bigint
  balance: bigint
  isDebit: boolean
  id: string
  postingKey: string
  line: number
  debit: string
  debitLine: bigint
  debitBalance: bigint
  credit: string
  creditLine: bigint
  creditBalance: bigint
  amount: bigint
  kind: string
  resourceType: string
  resourceId: string
  reference: string | null
  description: string | null
  createdUs: bigint
}

const columns = `
  l.id, l.posting_key as "postingKey", l.line, l.debit, l.debit_line as "debitLine", l.debit_balance as "debitBalance",
  l.credit, l.credit_line as "creditLine", l.credit_balance as "creditBalance", l.amount, l.kind,
  l.resource_type as "resourceType", l.resource_id as "resourceId", l.reference, l.description,
  (extract(epoch from l.created_at) * 1000000)::bigint as "createdUs"`

const linesSql = sql<WholeLine>`
  select k.n::integer as n, side.number, side.balance, side."isDebit", side.id, side."postingKey", side.line, side.debit,
         side."debitLine", side."debitBalance", side.credit, side."creditLine", side."creditBalance", side.amount, side.kind,
         side."resourceType", side."resourceId", side.reference, side.description, side."createdUs"
    from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[]) with ordinality as k (organization_id, currency, kind, after, n)
   cross join lateral (
     (select l.debit_line as number, l.debit_balance as balance, true as "isDebit", ${columns} from ledger_lines l
       where l.organization_id = k.organization_id and l.currency = k.currency and l.debit = k.kind
         and l.debit_line > k.after and l.debit_line <= k.after + $5)
     union all
     (select l.credit_line, l.credit_balance, false, ${columns} from ledger_lines l
       where l.organization_id = k.organization_id and l.currency = k.currency and l.credit = k.kind
         and l.credit_line > k.after and l.credit_line <= k.after + $5)
   ) side
   order by k.n, side.number`

/** For each account the lines that follow the one numbered `after`, at most `most` of each, in order. */
export function readLines(
  db: Db,
  accounts: readonly (AccountKey & { readonly after: bigint })[],
  most: number,
): Promise<WholeLine[]> {
  return db.many(linesSql, [
    accounts.map((account) => account.organizationId),
    accounts.map((account) => account.currency),
    accounts.map((account) => account.kind),
    accounts.map((account) => account.after),
    most,
  ])
}

/** What a seal keeps of a line: all of it. */
export function entryOf(line: WholeLine): Entry {
  const { id, postingKey, line: part, debit, debitLine, debitBalance, credit, creditLine, creditBalance } = line
  const { amount, kind, resourceType, resourceId, reference, description, createdUs } = line
  const numbers = [part, debitLine, debitBalance, creditLine, creditBalance, amount, createdUs].map(String)
  const texts = [postingKey, debit, credit, kind, resourceType, resourceId, reference, description]
  return { id, content: JSON.stringify([...numbers, ...texts]) }
}
