export const deliveryStatuses = ['pending', 'delivered', 'failed', 'cancelled'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** From a status, the statuses a delivery may move to, and by what. */
export const deliveryMoves = {
  pending: { delivered: 'an attempt', failed: 'the last attempt', cancelled: 'the endpoint going away' },
  delivered: {},
  failed: { delivered: 'a resend' },
  cancelled: { delivered: 'a resend' },
} as const satisfies Record<DeliveryStatus, Partial<Record<DeliveryStatus, string>>>

const HOUR_MS = 60 * 60 * 1000

/** How long after each failure of an automatic attempt the next one is due. After the sixth there is none. */
export const retryDelaysMs = [1, 2, 4, 8, 16].map((hours) => hours * HOUR_MS)

/** When the attempt after a failed one is due; null: it was the last. `failures` counts the failed one too. */
export function nextAttemptAt(failedAt: Date, failures: number): Date | null {
  const delayMs = retryDelaysMs[failures - 1]
  return delayMs === undefined ? null : new Date(failedAt.getTime() + delayMs)
}
