/** What a person has to decide about. */
export const reviewKinds = [
  'late_payment',
  'wrong_amount',
  'duplicate_payment',
  'unanswered_payment',
  'unanswered_payout',
] as const
export type ReviewKind = (typeof reviewKinds)[number]

/** Kinds that have money in suspense; the others have only silence. */
export const moneyKinds = ['late_payment', 'wrong_amount', 'duplicate_payment'] as const satisfies readonly ReviewKind[]
export function hasMoney(kind: ReviewKind): boolean {
  return (moneyKinds as readonly ReviewKind[]).includes(kind)
}

export const reviewStatuses = ['open', 'returning', 'resolved'] as const
export type ReviewStatus = (typeof reviewStatuses)[number]
