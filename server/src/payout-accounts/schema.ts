import { Type, type Static } from 'typebox'
import {
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
  strict,
  Text,
} from '../http/schemas.ts'
import { Country } from '../payout-providers/schema.ts'
import { beneficiaryTypes } from '../rails/rail.ts'

const destination = {
  accountNumber: Text(64),
  currency: optional(CurrencyCode),
  country: optional(Country),
  bankCode: optional(Text(32)),
  institutionId: optional(Text(64)),
  routingNumber: optional(Text(32)),
}

export const ResolveRequest = strict({ accountType: optional(oneOf(['bank_account', 'mobile_money'])), ...destination })
export type ResolveRequest = Static<typeof ResolveRequest>

const ResolvedAccount = Type.Object({
  accountName: Type.String(),
  accountNumber: Type.String(),
  accountType: oneOf(beneficiaryTypes),
  bankCode: nullable(Type.String()),
  bankName: nullable(Type.String()),
  institutionId: nullable(Type.String()),
  currency: CurrencyCode,
  country: Type.String(),
})
export type ResolvedAccount = Static<typeof ResolvedAccount>
export const ResolvedAccountBody = dataOf(ResolvedAccount)

export const NewPayoutAccount = strict({
  accountType: oneOf(beneficiaryTypes),
  ...destination,
  nickname: optional(Text()),
  metadata: optional(Metadata),
})
export type NewPayoutAccount = Static<typeof NewPayoutAccount>

export const PayoutAccountChange = strict({
  nickname: optional(Text()),
  metadata: optional(Metadata),
  isActive: Type.Optional(Type.Boolean()),
  accountNumber: Type.Optional(destination.accountNumber),
  bankCode: destination.bankCode,
  institutionId: destination.institutionId,
  routingNumber: destination.routingNumber,
})
export type PayoutAccountChange = Static<typeof PayoutAccountChange>

export const PayoutAccount = Type.Object({
  id: Id,
  accountType: oneOf(beneficiaryTypes),
  accountNumber: Type.String(),
  accountName: Type.String({ description: 'As the provider knows it; masked for partner wallets.' }),
  bankCode: nullable(Type.String()),
  bankName: nullable(Type.String()),
  institutionId: nullable(Type.String()),
  routingNumber: nullable(Type.String()),
  currency: CurrencyCode,
  country: Type.String(),
  nickname: nullable(Type.String()),
  metadata: nullable(Metadata),
  isActive: Type.Boolean(),
  createdAt: Instant,
  updatedAt: Instant,
})
export type PayoutAccount = Static<typeof PayoutAccount>
export const PayoutAccountBody = dataOf(PayoutAccount)
export const PayoutAccountPage = pageOf('payoutAccounts', PayoutAccount)
export const PayoutAccountQuery = pageQuery({
  accountType: Type.Optional(oneOf(beneficiaryTypes)),
  currency: Type.Optional(CurrencyCode),
  isActive: Type.Optional(Type.Boolean()),
})
export type PayoutAccountQuery = Static<typeof PayoutAccountQuery>
