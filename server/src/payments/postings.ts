import type { Posting } from '../ledger/post.ts'
import type { Money } from '../money/money.ts'
import type { PaymentRow } from './store.ts'

/** The lines of each step of a payment. docs/recipes shows them with numbers. */

/** The rail has the money: it enters the pending balance, converted on the way where the currencies differ. */
export function executionPosting(row: PaymentRow, at: Date): Posting {
  const { sourceCurrency, targetCurrency } = row
  if (sourceCurrency === targetCurrency) {
    return posting(row, 'executed', at, [
      {
        currency: targetCurrency,
        debit: 'outside',
        credit: 'pending',
        amount: row.targetAmount,
        kind: 'payment_execution',
      },
    ])
  }
  return posting(row, 'executed', at, [
    {
      currency: sourceCurrency,
      debit: 'outside',
      credit: 'exchange',
      amount: row.sourceAmount,
      kind: 'payment_execution',
    },
    {
      currency: targetCurrency,
      debit: 'exchange',
      credit: 'pending',
      amount: row.targetAmount,
      kind: 'payment_execution',
    },
  ])
}

/** Pending to available; the fee is an entry of its own. */
export function settlementPosting(row: PaymentRow, at: Date): Posting {
  const currency = row.targetCurrency
  return posting(row, 'settled', at, [
    { currency, debit: 'pending', credit: 'available', amount: row.targetAmount, kind: 'payment_settlement' },
    { currency, debit: 'available', credit: 'fees', amount: row.feeAmount, kind: 'payment_fee' },
  ])
}

/** Money that is not what was asked for, or not when: kept apart, in the currency it came in. */
export function suspensePosting(row: PaymentRow, reviewItemId: string, { amount, currency }: Money, at: Date): Posting {
  return {
    ...posting(row, 'suspense', at, [{ currency, debit: 'outside', credit: 'suspense', amount, kind: 'suspense' }]),
    key: `review_item:${reviewItemId}:received`,
    resourceType: 'review_item',
    resourceId: reviewItemId,
  }
}

function posting(row: PaymentRow, step: string, at: Date, lines: Posting['lines']): Posting {
  return {
    organizationId: row.organizationId,
    key: `payment:${row.id}:${step}`,
    resourceType: 'payment',
    resourceId: row.id,
    reference: row.reference,
    description: row.description,
    at,
    lines,
  }
}
