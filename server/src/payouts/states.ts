import type { EventType } from '../events/catalogue.ts'

export const payoutStatuses = ['pending_approval', 'pending', 'processing', 'completed', 'failed', 'cancelled'] as const
export type PayoutStatus = (typeof payoutStatuses)[number]

/** From a status, the statuses it may move to and what the organization is told. */
export const payoutMoves = {
  pending_approval: { pending: 'silent', cancelled: 'payout.cancelled' },
  pending: { processing: 'payout.processing', cancelled: 'payout.cancelled' },
  processing: { completed: 'payout.completed', failed: 'payout.failed' },
  completed: {},
  failed: {},
  cancelled: {},
} as const satisfies Record<PayoutStatus, Partial<Record<PayoutStatus, EventType | 'silent'>>>

/** Where a payout may begin, and what is said of it. */
export const payoutBeginnings = { pending_approval: 'payout.created', pending: 'payout.created' } as const

/** How long a payout waits for a decision before it is cancelled. */
export const DECISION_MS = 7 * 24 * 60 * 60 * 1000

/** Why a payout is not on its way though it is processing. */
export const waitingReasons = ['rail_float'] as const
export type WaitingReason = (typeof waitingReasons)[number]
