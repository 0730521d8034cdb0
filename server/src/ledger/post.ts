import assert from 'node:assert/strict'
import { plainList } from '../db/arrays.ts'
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

// One round trip for any number of postings: migrations/0009_ledger_post.sql locks the accounts in one order, counts and
// writes. What the lock reads is the newest state, so numbers are dense and balances exact. The counters' own
// constraints refuse an overdraft, and with it everything.
const postSql = sql<{ posted: number }>`
  select post_lines($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
                    $23, $24, $25, $26) as posted`

/** An account in one call of post: which one it is among those of the call, and what the lines so far do to it. */
type Touched = {
  readonly n: number
  readonly organizationId: string
  readonly currency: Currency
  readonly kind: AccountKind
  debits: bigint
  credits: bigint
  lines: number
}

/** Moves money. The only code that does. */
export async function post(tx: Tx, postings: readonly Posting[]): Promise<void> {
  const accounts = new Map<string, Touched>()
  const rows = postings.flatMap((posting) =>
    posting.lines
      .filter(({ amount }) => amount > 0n)
      .map((line, index) => ({ ...place(accounts, posting.organizationId, line), posting, line, number: index + 1 })),
  )
  if (rows.length === 0) return
  const touched = [...accounts.values()]
  type Plain = string | number | bigint
  const account = (pick: (one: Touched) => Plain) => plainList(touched.map(pick))
  const column = (pick: (row: (typeof rows)[number]) => Plain) => plainList(rows.map(pick))
  try {
    const { posted } = await tx.one(postSql, [
      account((one) => one.organizationId),
      account((one) => one.currency),
      account((one) => one.kind),
      account((one) => one.debits),
      account((one) => one.credits),
      account((one) => one.lines),
      column(({ posting }) => posting.organizationId),
      column(({ posting }) => newId(posting.at)),
      rows.map(({ posting }) => posting.key),
      column(({ number }) => number),
      column(({ line }) => line.currency),
      column(({ line }) => line.amount),
      column(({ line }) => line.kind),
      column(({ posting }) => posting.resourceType),
      column(({ posting }) => posting.resourceId),
      rows.map(({ posting }) => posting.reference ?? null),
      rows.map(({ posting }) => posting.description ?? null),
      column(({ posting }) => posting.at.toISOString()),
      column(({ line }) => line.debit),
      column(({ debit }) => debit.n),
      column(({ debit }) => debit.line),
      column(({ debit }) => debit.change),
      column(({ line }) => line.credit),
      column(({ credit }) => credit.n),
      column(({ credit }) => credit.line),
      column(({ credit }) => credit.change),
    ])
    assert.equal(posted, rows.length, 'a posting names an account that was never opened')
  } catch (error) {
    if (overdrafts.has(violated(error) ?? '')) throw new Refusal('insufficient_funds')
    throw error
  }
}

const overdrafts = new Set(['ledger_accounts_no_overdraft', 'ledger_lines_no_overdraft'])

/** Counts a line in at its two accounts: which line of theirs it is in this call, and what they have changed by after it. */
function place(accounts: Map<string, Touched>, organizationId: string, { currency, debit, credit, amount }: Line) {
  const from = touch(accounts, organizationId, currency, debit)
  from.debits += amount
  const to = touch(accounts, organizationId, currency, credit)
  to.credits += amount
  return { debit: standing(from), credit: standing(to) }
}

function touch(accounts: Map<string, Touched>, organizationId: string, currency: Currency, kind: AccountKind): Touched {
  const key = `${organizationId}/${currency}/${kind}`
  const known = accounts.get(key)
  const account = known ?? { n: accounts.size + 1, organizationId, currency, kind, debits: 0n, credits: 0n, lines: 0 }
  if (!known) accounts.set(key, account)
  account.lines += 1
  return account
}

function standing({ n, lines, credits, debits }: Touched): { n: number; line: number; change: bigint } {
  return { n, line: lines, change: credits - debits }
}
