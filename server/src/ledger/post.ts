import assert from 'node:assert/strict'
import type { Tx } from '../db/database.ts'
import { violated } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { Refusal } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Currency } from '../money/currencies.ts'
import type { Minor } from '../money/money.ts'
import type { AccountKind, LineKind } from './chart.ts'

/** One movement: `amount` leaves `debit` and enters `credit`. */
export type Line = {
  readonly currency: Currency
  readonly debit: AccountKind
  readonly credit: AccountKind
  readonly amount: Minor
  readonly kind: LineKind
}

/** Everything one cause moves in one organization's books, at once. The key makes it happen once only. */
export type Posting = {
  readonly organizationId: string
  /** What caused it: `transfer:<id>:completed`. */
  readonly key: string
  readonly resourceType: string
  readonly resourceId: string
  readonly reference?: string | null
  readonly description?: string | null
  readonly at: Date
  /** Lines of zero are not written. */
  readonly lines: readonly Line[]
}

// One round trip for any number of postings. Accounts are locked in one order over all postings, so that two batches
// never wait for each other in a circle; what the lock reads is the newest state, so numbers are dense and balances
// exact. The counters' own constraints refuse an overdraft, and with it the whole statement.
const postSql = sql<{ posted: number }>`
  with input as (
    select organization_id, id, posting_key, line, currency, debit, credit, amount,
           kind, resource_type, resource_id, reference, description, created_at, n
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::smallint[], $5::text[], $6::text[], $7::text[], $8::bigint[],
                         $9::text[], $10::text[], $11::uuid[], $12::text[], $13::text[], $14::timestamptz[]) with ordinality
      as t (organization_id, id, posting_key, line, currency, debit, credit, amount,
            kind, resource_type, resource_id, reference, description, created_at, n)
  ), moves as (
    select n, organization_id, currency, debit as account, -amount as change, amount as debited, 0 as credited from input
    union all
    select n, organization_id, currency, credit, amount, 0, amount from input
  ), totals as (
    select organization_id, currency, account, sum(debited)::bigint as debits, sum(credited)::bigint as credits, count(*) as lines
      from moves group by organization_id, currency, account
  ), locked as materialized (
    select a.organization_id, a.currency, a.kind, a.lines, a.credits - a.debits as balance
      from ledger_accounts a join totals t on (a.organization_id, a.currency, a.kind) = (t.organization_id, t.currency, t.account)
     order by a.organization_id, a.currency, a.kind
       for no key update of a
  ), numbered as (
    select m.n, m.change < 0 as is_debit,
           l.lines + row_number() over account as line, l.balance + sum(m.change) over account as balance
      from moves m join locked l on (l.organization_id, l.currency, l.kind) = (m.organization_id, m.currency, m.account)
    window account as (partition by m.organization_id, m.currency, m.account order by m.n rows unbounded preceding)
  ), counted as (
    update ledger_accounts a
       set debits = a.debits + t.debits, credits = a.credits + t.credits, lines = a.lines + t.lines
      from totals t join locked l on (l.organization_id, l.currency, l.kind) = (t.organization_id, t.currency, t.account)
     where (a.organization_id, a.currency, a.kind) = (t.organization_id, t.currency, t.account)
  ), written as (
    insert into ledger_lines (organization_id, id, posting_key, line, currency, debit, debit_line, debit_balance,
                              credit, credit_line, credit_balance, amount, kind, resource_type, resource_id, reference, description, created_at)
    select i.organization_id, i.id, i.posting_key, i.line, i.currency, i.debit, d.line, d.balance,
           i.credit, c.line, c.balance, i.amount, i.kind, i.resource_type, i.resource_id, i.reference, i.description, i.created_at
      from input i join numbered d on d.n = i.n and d.is_debit join numbered c on c.n = i.n and not c.is_debit
    returning 1
  )
  select count(*)::integer as posted from written`

/** Moves money. The only code that does. */
export async function post(tx: Tx, postings: readonly Posting[]): Promise<void> {
  const rows = postings.flatMap((posting) =>
    posting.lines.filter(({ amount }) => amount > 0n).map((line, index) => ({ ...posting, ...line, line: index + 1 })),
  )
  if (rows.length === 0) return
  const column = <T>(pick: (row: (typeof rows)[number]) => T) => rows.map(pick)
  try {
    const { posted } = await tx.one(postSql, [
      column((row) => row.organizationId),
      column((row) => newId(row.at)),
      column((row) => row.key),
      column((row) => row.line),
      column((row) => row.currency),
      column((row) => row.debit),
      column((row) => row.credit),
      column((row) => row.amount),
      column((row) => row.kind),
      column((row) => row.resourceType),
      column((row) => row.resourceId),
      column((row) => row.reference ?? null),
      column((row) => row.description ?? null),
      column((row) => row.at),
    ])
    assert.equal(posted, rows.length, 'a posting names an account that was never opened')
  } catch (error) {
    if (overdrafts.has(violated(error) ?? '')) throw new Refusal('insufficient_funds')
    throw error
  }
}

const overdrafts = new Set(['ledger_accounts_no_overdraft', 'ledger_lines_no_overdraft'])
