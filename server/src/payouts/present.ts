import { toMajor } from '../money/money.ts'
import type { Payout } from './schema.ts'
import type { PayoutRow } from './store.ts'

/** The record as callers and events see it. */
export function present(row: PayoutRow): Payout {
  return {
    id: row.id,
    reference: row.reference,
    status: row.status,
    failureReason: row.failureReason,
    waitingReason: row.waitingReason,
    payoutAccountId: row.payoutAccountId,
    destination: row.destination,
    sourceAmount: toMajor(row.sourceAmount, row.sourceCurrency),
    sourceCurrency: row.sourceCurrency,
    targetAmount: toMajor(row.targetAmount, row.targetCurrency),
    targetCurrency: row.targetCurrency,
    exchangeRate: Number(row.exchangeRate),
    feeAmount: toMajor(row.feeAmount, row.sourceCurrency),
    narration: row.narration,
    metadata: row.metadata,
    requiresApproval: row.requiresApproval,
    approvedBy: row.approvedBy,
    approvedAt: row.approvedAt?.toISOString() ?? null,
    providerReference: row.providerReference,
    returnedAt: row.returnedAt?.toISOString() ?? null,
    returnReason: row.returnReason,
    returnTransferId: row.returnTransferId,
    statusHistory: row.statusHistory.map(({ status, at }) => ({ status, at: new Date(at).toISOString() })),
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    completedAt: row.completedAt?.toISOString() ?? null,
  }
}
