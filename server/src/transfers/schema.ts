import { Type, type Static } from 'typebox'
import {
  Amount,
  AmountOut,
  createdRange,
  CurrencyCode,
  dataOf,
  Id,
  Instant,
  nullable,
  oneOf,
  optional,
  pageOf,
  pageQuery,
  Reference,
  strict,
  Text,
} from '../http/schemas.ts'
import { amountPair } from '../rates/schema.ts'

export const transferKinds = ['conversion', 'organization', 'payout_return', 'review_credit'] as const

export const NewTransfer = strict(
  {
    reference: Reference,
    sourceCurrency: CurrencyCode,
    targetCurrency: optional(CurrencyCode),
    sourceAmount: optional(Amount),
    targetAmount: optional(Amount),
    quoteId: optional(Id),
    destinationOrganizationId: optional(Id),
    description: optional(Text()),
  },
  amountPair,
)
export type NewTransfer = Static<typeof NewTransfer>

export const Transfer = Type.Object({
  id: Id,
  kind: oneOf(transferKinds),
  direction: oneOf(['out', 'in']),
  reference: Type.String(),
  status: oneOf(['pending', 'completed', 'failed']),
  failureReason: nullable(Type.String()),
  sourceAmount: AmountOut,
  sourceCurrency: CurrencyCode,
  targetAmount: AmountOut,
  targetCurrency: CurrencyCode,
  exchangeRate: Type.Number(),
  sourceOrganizationId: Id,
  destinationOrganizationId: Id,
  payoutId: nullable(Id),
  description: nullable(Type.String()),
  createdAt: Instant,
  completedAt: nullable(Instant),
})
export type Transfer = Static<typeof Transfer>
export const TransferBody = dataOf(Transfer)
export const TransferPage = pageOf('transfers', Transfer)
export const TransferQuery = pageQuery({
  status: Type.Optional(oneOf(['pending', 'completed', 'failed'])),
  reference: Type.Optional(Reference),
  ...createdRange,
})
export type TransferQuery = Static<typeof TransferQuery>
