import { toMajor } from '../money/money.ts'
import type { Transfer } from './schema.ts'
import type { TransferRow } from './store.ts'

/** The record as callers and events see it. */
export function present(row: TransferRow): Transfer {
  const { organizationId: _, rateSource: _source, rateAsOf: _asOf, quoteId: _quote, createdBy: _by, ...shown } = row
  return {
    ...shown,
    sourceAmount: toMajor(row.sourceAmount, row.sourceCurrency),
    targetAmount: toMajor(row.targetAmount, row.targetCurrency),
    exchangeRate: Number(row.exchangeRate),
    createdAt: row.createdAt.toISOString(),
    completedAt: row.completedAt?.toISOString() ?? null,
  }
}
