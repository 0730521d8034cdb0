import type { Line, Posting } from '../ledger/post.ts'
import { minor } from '../money/money.ts'
import type { PayoutRow } from './store.ts'

/** The lines of each step of a payout. docs/recipes/payout.md and its neighbours show them with numbers. */

/** Amount and fee together, out of the wallet, in the transaction that makes the payout. */
export function holdPosting(row: PayoutRow): Posting {
  const amount = minor(row.sourceAmount + row.feeAmount)
  return posting(row, 'held', row.createdAt, [
    { currency: row.sourceCurrency, debit: 'available', credit: 'held', amount, kind: 'payout_hold' },
  ])
}

/** Back exactly as it was held, fee included: it failed, or nobody sent it. */
export function releasePosting(row: PayoutRow, at: Date): Posting {
  const amount = minor(row.sourceAmount + row.feeAmount)
  return posting(row, 'released', at, [
    { currency: row.sourceCurrency, debit: 'held', credit: 'available', amount, kind: 'payout_release' },
  ])
}

/** Out to the rail, converted on the way where the currencies differ; the fee is earned. */
export function completionPosting(row: PayoutRow, at: Date): Posting {
  const { sourceCurrency, targetCurrency, sourceAmount, targetAmount, feeAmount } = row
  const kind = 'payout_completion'
  const out: Line[] =
    sourceCurrency === targetCurrency
      ? [{ currency: sourceCurrency, debit: 'held', credit: 'outside', amount: sourceAmount, kind }]
      : [
          { currency: sourceCurrency, debit: 'held', credit: 'exchange', amount: sourceAmount, kind },
          { currency: targetCurrency, debit: 'exchange', credit: 'outside', amount: targetAmount, kind },
        ]
  return posting(row, 'completed', at, [
    ...out,
    { currency: sourceCurrency, debit: 'held', credit: 'fees', amount: feeAmount, kind: 'payout_fee' },
  ])
}

/** The source amount back into the wallet, the way it went out; the fee is kept. */
export function returnPosting(row: PayoutRow, transferId: string, reference: string, at: Date): Posting {
  const { sourceCurrency, targetCurrency, sourceAmount, targetAmount } = row
  const lines: Line[] =
    sourceCurrency === targetCurrency
      ? [
          {
            currency: sourceCurrency,
            debit: 'outside',
            credit: 'available',
            amount: sourceAmount,
            kind: 'payout_return',
          },
        ]
      : [
          {
            currency: targetCurrency,
            debit: 'outside',
            credit: 'exchange',
            amount: targetAmount,
            kind: 'payout_return',
          },
          {
            currency: sourceCurrency,
            debit: 'exchange',
            credit: 'available',
            amount: sourceAmount,
            kind: 'payout_return',
          },
        ]
  return {
    ...posting(row, 'returned', at, lines),
    resourceType: 'transfer',
    resourceId: transferId,
    reference,
    description: null,
  }
}

function posting(row: PayoutRow, step: string, at: Date, lines: readonly Line[]): Posting {
  return {
    organizationId: row.organizationId,
    key: `payout:${row.id}:${step}`,
    resourceType: 'payout',
    resourceId: row.id,
    reference: row.reference,
    description: row.narration,
    at,
    lines,
  }
}
