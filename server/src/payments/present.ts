import type { Deps } from '../deps.ts'
import { minor, toMajor } from '../money/money.ts'
import type { Payment, PaymentEvent } from './schema.ts'
import type { PaymentRow, PaymentWithHistory } from './store.ts'

/** The record as callers see it. */
export function present(deps: Deps, row: PaymentWithHistory): Payment {
  const { id, reference, targetCurrency, status, previousStatus, failureReason, customerId, description } = row
  return {
    id,
    reference,
    ...amounts(row),
    status,
    previousStatus,
    failureReason,
    customerId,
    description,
    metadata: row.metadata,
    redirectUrl: row.redirectUrl,
    paymentMethod: methodOf(row),
    feeAmount: toMajor(row.feeAmount, targetCurrency),
    netAmount: toMajor(minor(row.targetAmount - row.feeAmount), targetCurrency),
    linkToken: row.linkToken,
    paymentLink: linkOf(deps, row.linkToken),
    linkExpiresAt: row.linkExpiresAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    syncedAt: row.syncedAt?.toISOString() ?? null,
    statusHistory: row.statusHistory,
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

/** What events tell: exactly the interface's fields, optional ones left out. */
export function presentEvent(row: PaymentRow): PaymentEvent {
  const { id, reference, status, previousStatus, failureReason } = row
  return {
    id,
    reference,
    ...amounts(row),
    status,
    ...(previousStatus && { previousStatus }),
    ...(failureReason && { failureReason }),
  } as PaymentEvent
}

export function methodOf({ methodId, methodType, methodName }: PaymentRow): Payment['paymentMethod'] {
  return methodId && methodType && methodName ? { id: methodId, type: methodType, name: methodName } : null
}

export function linkOf({ publicUrl }: Deps, token: string): string {
  return `${publicUrl()}/pay/${token}`
}

function amounts(row: PaymentRow) {
  const { sourceCurrency, targetCurrency } = row
  return {
    sourceAmount: toMajor(row.sourceAmount, sourceCurrency),
    sourceCurrency,
    targetAmount: toMajor(row.targetAmount, targetCurrency),
    targetCurrency,
    exchangeRate: Number(row.exchangeRate),
  }
}
