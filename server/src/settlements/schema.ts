import type { Readable } from 'node:stream'
import { Type, type Static } from 'typebox'
import { AmountOut, createdRange, CurrencyCode, dataOf, Id, Instant, pageOf, pageQuery } from '../http/schemas.ts'

export const Settlement = Type.Object({
  id: Id,
  rail: Type.String(),
  currency: CurrencyCode,
  settledOn: Type.String({ format: 'date' }),
  grossAmount: AmountOut,
  feeAmount: AmountOut,
  netAmount: AmountOut,
  paymentCount: Type.Integer(),
  createdAt: Instant,
})
export type Settlement = Static<typeof Settlement>
export const SettlementBody = dataOf(Settlement)
export const SettlementPage = pageOf('settlements', Settlement)
/** One line per payment. */
export const SettlementCsv = { content: { 'text/csv': { schema: Type.Unsafe<Readable>(Type.String()) } } }
export const SettlementQuery = pageQuery({ currency: Type.Optional(CurrencyCode), ...createdRange })
export type SettlementQuery = Static<typeof SettlementQuery>
export const SettlementPaymentQuery = pageQuery({})
export type SettlementPaymentQuery = Static<typeof SettlementPaymentQuery>
