import type { EventType } from '../events/catalogue.ts'

export const transferStatuses = ['pending', 'completed', 'failed'] as const
export type TransferStatus = (typeof transferStatuses)[number]

/** From a status, the statuses it may move to and what the organization is told. */
export const transferMoves = {
  pending: { completed: 'transfer.completed', failed: 'transfer.failed' },
  completed: {},
  failed: {},
} as const satisfies Record<TransferStatus, Partial<Record<TransferStatus, EventType>>>

/** Where a transfer may begin, and what is said of it. One's own conversions, and what arrives, are complete at once. */
export const transferBeginnings = { pending: 'silent', completed: 'transfer.completed' } as const
