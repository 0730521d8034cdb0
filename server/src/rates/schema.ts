import { Type, type Static } from 'typebox'
import { Amount, AmountOut, CurrencyCode, dataOf, Id, Instant, oneOf, optional, strict } from '../http/schemas.ts'

export const RateQuery = strict({ source: Type.Optional(CurrencyCode), target: Type.Optional(CurrencyCode) })
export type RateQuery = Static<typeof RateQuery>

export const RateRecord = Type.Object({
  source: CurrencyCode,
  target: CurrencyCode,
  rate: Type.Number({ description: 'Target units for one source unit, at most 10 significant digits.' }),
  asOf: Instant,
})
export const RateList = dataOf(Type.Array(RateRecord))

export const quoteKinds = ['payment', 'payout', 'transfer'] as const

/** Exactly one of the amounts is given; the other follows from the rate. */
export const amountPair = {
  'x-exactlyOneOf': ['sourceAmount', 'targetAmount'],
  'x-amounts': { sourceAmount: ['sourceCurrency'], targetAmount: ['targetCurrency', 'sourceCurrency'] },
}

export const NewQuote = strict(
  {
    kind: oneOf(quoteKinds),
    sourceCurrency: CurrencyCode,
    targetCurrency: optional(CurrencyCode),
    sourceAmount: optional(Amount),
    targetAmount: optional(Amount),
  },
  amountPair,
)
export type NewQuote = Static<typeof NewQuote>

export const Quote = Type.Object({
  id: Id,
  kind: oneOf(quoteKinds),
  sourceAmount: AmountOut,
  sourceCurrency: CurrencyCode,
  targetAmount: AmountOut,
  targetCurrency: CurrencyCode,
  exchangeRate: Type.Number(),
  feeAmount: AmountOut,
  expiresAt: Instant,
})
export type Quote = Static<typeof Quote>
export const QuoteBody = dataOf(Quote)
