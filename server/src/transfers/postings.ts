import type { Line, Posting } from '../ledger/post.ts'
import type { TransferRow } from './store.ts'

/** The lines of each step of a transfer. docs/recipes/transfer.md shows them with numbers. */

/** Between one's own wallets: each currency balances by itself, through the exchange accounts. */
export function conversionPosting(row: TransferRow): Posting {
  return posting(row, 'completed', [
    {
      currency: row.sourceCurrency,
      debit: 'available',
      credit: 'exchange',
      amount: row.sourceAmount,
      kind: 'transfer_out',
    },
    {
      currency: row.targetCurrency,
      debit: 'exchange',
      credit: 'available',
      amount: row.targetAmount,
      kind: 'transfer_in',
    },
  ])
}

/** Out of the sender's wallet into transit, converted on the way where the currencies differ. */
export function departurePosting(row: TransferRow): Posting {
  if (row.sourceCurrency === row.targetCurrency) {
    return posting(row, 'departed', [
      {
        currency: row.sourceCurrency,
        debit: 'available',
        credit: 'transit',
        amount: row.sourceAmount,
        kind: 'transfer_out',
      },
    ])
  }
  return posting(row, 'departed', [
    {
      currency: row.sourceCurrency,
      debit: 'available',
      credit: 'exchange',
      amount: row.sourceAmount,
      kind: 'transfer_out',
    },
    {
      currency: row.targetCurrency,
      debit: 'exchange',
      credit: 'transit',
      amount: row.targetAmount,
      kind: 'transfer_conversion',
    },
  ])
}

/** Out of transit for good, once the receiver has it. */
export function deliveryPosting(row: TransferRow): Posting {
  return posting(row, 'completed', [
    {
      currency: row.targetCurrency,
      debit: 'transit',
      credit: 'intercompany',
      amount: row.targetAmount,
      kind: 'transfer_delivery',
    },
  ])
}

/** Into the receiver's wallet, in the receiver's own books. */
export function arrivalPosting(row: TransferRow): Posting {
  return posting(row, 'arrived', [
    {
      currency: row.targetCurrency,
      debit: 'intercompany',
      credit: 'available',
      amount: row.targetAmount,
      kind: 'transfer_in',
    },
  ])
}

/** Back into the sender's wallet exactly as it left. */
export function comebackPosting(row: TransferRow): Posting {
  if (row.sourceCurrency === row.targetCurrency) {
    return posting(row, 'failed', [
      {
        currency: row.sourceCurrency,
        debit: 'transit',
        credit: 'available',
        amount: row.sourceAmount,
        kind: 'transfer_in',
      },
    ])
  }
  return posting(row, 'failed', [
    {
      currency: row.targetCurrency,
      debit: 'transit',
      credit: 'exchange',
      amount: row.targetAmount,
      kind: 'transfer_conversion',
    },
    {
      currency: row.sourceCurrency,
      debit: 'exchange',
      credit: 'available',
      amount: row.sourceAmount,
      kind: 'transfer_in',
    },
  ])
}

function posting(row: TransferRow, step: string, lines: readonly Line[]): Posting {
  return {
    organizationId: row.organizationId,
    key: `transfer:${row.id}:${step}`,
    resourceType: 'transfer',
    resourceId: row.id,
    reference: row.reference,
    description: row.description,
    at: row.completedAt ?? row.createdAt,
    lines,
  }
}
