import { Type, type Static } from 'typebox'
import {
  Amount,
  AmountOut,
  createdRange,
  CurrencyCode,
  dataOf,
  Id,
  Instant,
  Metadata,
  nullable,
  oneOf,
  optional,
  pageOf,
  pageQuery,
  Reference,
  strict,
  Text,
} from '../http/schemas.ts'
import { beneficiaryTypes } from '../rails/rail.ts'
import { payoutStatuses, waitingReasons } from './states.ts'

export const NewPayout = strict(
  {
    reference: Reference,
    payoutAccountId: Id,
    sourceCurrency: optional(CurrencyCode),
    sourceAmount: optional(Amount),
    targetAmount: optional(Amount),
    quoteId: optional(Id),
    narration: optional(Text()),
    metadata: optional(Metadata),
  },
  {
    'x-exactlyOneOf': ['sourceAmount', 'targetAmount'],
    // Without a source currency, and for the target amount, the beneficiary says which currency it is.
    'x-amounts': { sourceAmount: ['sourceCurrency'] },
  },
)
export type NewPayout = Static<typeof NewPayout>

/** Each item is checked by itself: a malformed one is a refused outcome and spoils nothing else. */
export const BulkPayouts = strict({
  payouts: Type.Array(Type.Unknown(), {
    minItems: 1,
    maxItems: 1000,
    description: 'Each like the body of `POST /v1/payouts`.',
    'x-fault': 'must be an array of 1 to 1,000 payouts',
  }),
})

const Destination = Type.Object({
  accountType: oneOf(beneficiaryTypes),
  accountNumber: Type.String(),
  accountName: Type.String(),
  bankCode: nullable(Type.String()),
  bankName: nullable(Type.String()),
  institutionId: nullable(Type.String()),
  routingNumber: nullable(Type.String()),
  currency: CurrencyCode,
  country: Type.String(),
})
export type PayoutDestination = Static<typeof Destination>

const fields = {
  id: Id,
  reference: Type.String(),
  status: oneOf(payoutStatuses),
  failureReason: nullable(Type.String()),
  waitingReason: nullable(oneOf(waitingReasons)),
  payoutAccountId: Id,
  destination: Destination,
  sourceAmount: AmountOut,
  sourceCurrency: CurrencyCode,
  targetAmount: AmountOut,
  targetCurrency: CurrencyCode,
  exchangeRate: Type.Number(),
  feeAmount: Type.Number({ description: 'In the source currency, on top of the source amount.' }),
  narration: nullable(Type.String()),
  metadata: nullable(Metadata),
  requiresApproval: Type.Boolean(),
  approvedBy: nullable(Id),
  approvedAt: nullable(Instant),
  providerReference: nullable(Type.String()),
  returnedAt: nullable(Instant),
  returnReason: nullable(Type.String()),
  returnTransferId: nullable(Id),
  statusHistory: Type.Array(Type.Object({ status: oneOf(payoutStatuses), at: Instant })),
  createdBy: Id,
  createdAt: Instant,
  updatedAt: Instant,
  completedAt: nullable(Instant),
}

export const Payout = Type.Object(fields)
export type Payout = Static<typeof Payout>
export const PayoutBody = dataOf(Payout)
export const PayoutPage = pageOf('payouts', Payout)
export const PayoutQuery = pageQuery({
  status: Type.Optional(oneOf(payoutStatuses)),
  payoutAccountId: Type.Optional(Id),
  reference: Type.Optional(Reference),
  ...createdRange,
})
export type PayoutQuery = Static<typeof PayoutQuery>

/** What events after the first say: the record, and what it was before. */
export const MovedPayout = Type.Object({ ...fields, previousStatus: oneOf(payoutStatuses) })

const Refused = Type.Object({
  type: Type.String(),
  code: Type.String(),
  message: Type.String(),
  param: Type.Optional(Type.String()),
  details: Type.Optional(Type.Array(Type.Object({ param: Type.String(), message: Type.String() }))),
})
const BulkOutcome = Type.Object({
  index: Type.Integer(),
  reference: nullable(Type.String()),
  payout: nullable(Payout),
  error: nullable(Refused),
})
export type BulkOutcome = Static<typeof BulkOutcome>
export const BulkOutcomes = Type.Object({
  outcomes: Type.Array(BulkOutcome),
  accepted: Type.Integer(),
  refused: Type.Integer(),
})
export type BulkOutcomes = Static<typeof BulkOutcomes>
export const BulkOutcomesBody = dataOf(BulkOutcomes)

export const Rejection = strict({ reason: optional(Text()) })
export type Rejection = Static<typeof Rejection>

export const payoutCommands = ['complete', 'fail', 'return'] as const
export type PayoutCommand = (typeof payoutCommands)[number]
export const CommandBody = dataOf(Type.Object({ payoutId: Id, command: oneOf(payoutCommands) }))
