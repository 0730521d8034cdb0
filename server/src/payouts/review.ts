import type { Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import type { Currency } from '../money/currencies.ts'
import type { Minor } from '../money/money.ts'
import { openReviewItems } from '../review-items/open.ts'

/** A payout nobody can say the truth about. */
export type Unanswered = {
  readonly organizationId: string
  readonly id: string
  readonly rail: string
  readonly orderId: string
  readonly amount: Minor
  readonly currency: Currency
}

/** Lays payouts before a person: never a guess. */
export async function review(deps: Deps, tx: Tx, unanswered: readonly Unanswered[]): Promise<void> {
  const at = deps.now()
  await openReviewItems(
    tx,
    unanswered.map(({ organizationId, id, rail, orderId, amount, currency }) => ({
      organizationId,
      id: deps.newId(at),
      kind: 'unanswered_payout',
      amount,
      currency,
      rail,
      railReference: null,
      orderId,
      resourceType: 'payout',
      resourceId: id,
      at,
    })),
  )
}
