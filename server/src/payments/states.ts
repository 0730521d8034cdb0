import type { EventType } from '../events/catalogue.ts'

export const paymentStatuses = [
  'created',
  'pending',
  'authorising',
  'initiated',
  'executed',
  'settled',
  'failed',
  'cancelled',
  'expired',
] as const
export type PaymentStatus = (typeof paymentStatuses)[number]

/** From a status, the statuses it may move to and what the organization is told. What is not here does not happen. */
export const paymentMoves = {
  created: {
    pending: 'silent',
    authorising: 'silent',
    initiated: 'payment.initiated',
    executed: 'payment.executed',
    failed: 'payment.failed',
    cancelled: 'payment.cancelled',
    expired: 'payment.failed',
  },
  pending: {
    authorising: 'silent',
    initiated: 'payment.initiated',
    executed: 'payment.executed',
    failed: 'payment.failed',
    cancelled: 'payment.cancelled',
    expired: 'payment.failed',
  },
  authorising: {
    pending: 'silent',
    initiated: 'payment.initiated',
    executed: 'payment.executed',
    failed: 'payment.failed',
    cancelled: 'payment.cancelled',
    expired: 'payment.failed',
  },
  initiated: { executed: 'payment.executed', failed: 'payment.failed' },
  executed: { settled: 'payment.settled' },
  settled: {},
  failed: {},
  cancelled: {},
  expired: {},
} as const satisfies Record<PaymentStatus, Partial<Record<PaymentStatus, EventType | 'silent'>>>

/** Where a payment begins, and what is said of it. */
export const paymentBeginnings = { created: 'payment.created' } as const

/** What a move tells the organization; undefined: there is no such move. */
export function movesTo(from: PaymentStatus, to: PaymentStatus): EventType | 'silent' | undefined {
  return (paymentMoves[from] as Partial<Record<PaymentStatus, EventType | 'silent'>>)[to]
}

/** Nobody has finished paying: it can be paid, cancelled, given a new link, and it expires. */
export const openStatuses = ['created', 'pending', 'authorising'] as const
export function isOpen(status: PaymentStatus): boolean {
  return (openStatuses as readonly PaymentStatus[]).includes(status)
}

export function isPaid(status: PaymentStatus): boolean {
  return status === 'executed' || status === 'settled'
}

/** Why a payment failed or expired: every code there is. */
export const failureReasons = [
  'payment_expired',
  'too_many_attempts',
  'declined_by_provider',
  'declined_by_payer',
  'insufficient_funds',
  'account_blocked',
  'provider_silent',
] as const
export type FailureReason = (typeof failureReasons)[number]

/** A rail's reason as ours; words of its own become the general one. */
export function failureReasonOf(reason: string | null): FailureReason {
  return failureReasons.find((known) => known === reason) ?? 'declined_by_provider'
}

/** How many declines a payment takes; with this one it has failed. */
export const MAX_DECLINES = 10

export const attemptStatuses = [
  'beginning',
  'waiting',
  'accepted',
  'received',
  'declined',
  'rejected',
  'voided',
] as const
export type AttemptStatus = (typeof attemptStatuses)[number]

/** The payer may still act on it, or the rail still finish it. */
export function isLive(status: AttemptStatus): boolean {
  return status === 'beginning' || status === 'waiting' || status === 'accepted'
}
