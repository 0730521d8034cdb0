import type { Money } from '../money/money.ts'
import type { CollectionStep, CollectionType } from '../rails/rail.ts'

export type PaymentStatus =
  'created' | 'pending' | 'authorising' | 'initiated' | 'executed' | 'settled' | 'failed' | 'cancelled' | 'expired'

export type OfferedMethod = {
  readonly id: string
  readonly type: CollectionType
  readonly name: string
  readonly country: string
  /** The networks of mobile money; none for other ways. */
  readonly operators: readonly string[]
}

/** The payer's latest try. `live` while the provider waits for the payer. */
export type ShownAttempt = {
  readonly methodId: string
  readonly methodName: string
  readonly type: CollectionType
  readonly state: 'live' | 'declined' | 'lapsed' | 'left'
  readonly reason: string | null
  /** What the payer must do; null until the provider has said. */
  readonly step: CollectionStep | null
}

/** Everything the page shows of a payment, and nothing the payer should not see. */
export type PayerView = {
  readonly paymentId: string
  readonly reference: string
  readonly status: PaymentStatus
  readonly organizationName: string
  readonly description: string | null
  readonly source: Money
  readonly target: Money
  readonly exchangeRate: string
  readonly expiresAt: Date
  readonly redirectUrl: string | null
  readonly failureReason: string | null
  readonly paidAt: Date | null
  readonly methods: readonly OfferedMethod[]
  readonly attempt: ShownAttempt | null
}
