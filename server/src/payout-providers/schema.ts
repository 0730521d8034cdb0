import { Type, type Static } from 'typebox'
import { CurrencyCode, dataOf, nullable, oneOf, strict, Text } from '../http/schemas.ts'

export const Country = Type.String({
  pattern: '^[A-Z]{2}$',
  'x-fault': 'must be an ISO 3166-1 alpha-2 code in upper case, like NG',
})

export const ProviderQuery = strict({
  country: Country,
  beneficiaryType: oneOf(['bank_account', 'mobile_money']),
  search: Type.Optional(Text(100)),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
})
export type ProviderQuery = Static<typeof ProviderQuery>

export const Provider = Type.Object({
  id: Type.String({ description: 'Send it as institutionId for mobile wallets.' }),
  name: Type.String(),
  country_iso_code: Type.String(),
  currency: CurrencyCode,
  bankCode: nullable(Type.String({ description: 'Send it as bankCode for bank accounts.' })),
})
export type Provider = Static<typeof Provider>

export const ProviderPage = dataOf(
  Type.Object({
    providers: Type.Array(Provider),
    pagination: Type.Object({ page: Type.Integer(), pages: Type.Integer(), total: Type.Integer() }),
  }),
)
