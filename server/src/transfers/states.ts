import type { EventType } from '../events/catalogue.ts'

export const transferStatuses = ['pending', 'completed', 'failed'] as const
export type TransferStatus = (typeof transferStatuses)[number]

/** From a status, the statuses it may move to and what the organization is told. */
export const transferMoves = {
  pending: { completed: 'transfer.completed', failed: 'transfer.failed' },
  completed: {},
  failed: {},
} as const satisfies Record<TransferStatus, Partial<Record<TransferStatus, EventType>>>
