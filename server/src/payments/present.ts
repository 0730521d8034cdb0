import type { Deps } from '../deps.ts'
import { minor, toMajor } from '../money/money.ts'
import type { Payment, PaymentEvent } from './schema.ts'
import type { PaymentStatus } from './states.ts'
import type { PaymentRow, PresentedRow } from './store.ts'

/** The record as callers see it. */
export function present(deps: Deps, row: PresentedRow): Payment {
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
    statusHistory: readHistory(row.history),
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

function readHistory(text: string): Payment['statusHistory'] {
  return text.split(',').map((entry) => {
    const end = entry.indexOf(' ')
    return { status: entry.slice(0, end) as PaymentStatus, at: new Date(`${entry.slice(end + 1)}Z`).toISOString() }
  })
}

/** The history of a payment that has just come to be, as readHistory takes it. */
export function beginningOf({ status, createdAt }: PaymentRow): string {
  return `${status} ${createdAt.toISOString().slice(0, -1)}`
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

function methodOf({ methodId, methodType, methodName }: PresentedRow): Payment['paymentMethod'] {
  return methodId && methodType && methodName ? { id: methodId, type: methodType, name: methodName } : null
}

export function linkOf({ publicUrl }: Deps, token: string): string {
  return `${publicUrl()}/pay/${token}`
}

function amounts(row: PaymentRow | PresentedRow) {
  const { sourceCurrency, targetCurrency } = row
  return {
    sourceAmount: toMajor(row.sourceAmount, sourceCurrency),
    sourceCurrency,
    targetAmount: toMajor(row.targetAmount, targetCurrency),
    targetCurrency,
    exchangeRate: Number(row.exchangeRate),
  }
}
