import { Type, type Static } from 'typebox'
import {
  Amount,
  AmountOut,
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

export const providers = ['providerA', 'providerB'] as const
export type Provider = (typeof providers)[number]
export const entityTypes = ['customer', 'organization'] as const

export const Opening = strict({
  provider: optional(
    oneOf(providers, {
      description:
        'providerA opens accounts at several banks and needs a customer whose identity is verified; providerB, the default, opens one.',
    }),
  ),
})
export type Opening = Static<typeof Opening>

const BankAccountOut = Type.Object({
  bankCode: Type.String(),
  bankName: Type.String(),
  accountNumber: Type.String(),
  accountName: Type.String(),
})

export const VirtualAccount = Type.Object({
  id: Id,
  provider: Type.String({ description: 'providerA or providerB.' }),
  accounts: Type.Array(BankAccountOut),
  isActive: Type.Boolean(),
  accountReference: Type.String(),
  currency: Type.Literal('NGN'),
  entityType: oneOf(entityTypes),
  entityId: Id,
  createdAt: Instant,
})
export type VirtualAccount = Static<typeof VirtualAccount>
export const VirtualAccountBody = dataOf(VirtualAccount)
export const VirtualAccountList = dataOf(Type.Array(VirtualAccount))

const credit = {
  virtualAccountId: Id,
  accountReference: Type.String(),
  accountNumber: Type.String(),
  entityType: oneOf(entityTypes),
  entityId: Id,
  provider: Type.String(),
  transactionReference: Type.String(),
  reference: Type.String({ description: '<provider>:<transactionReference>' }),
  grossAmount: AmountOut,
  feeAmount: AmountOut,
  netAmount: AmountOut,
  currency: Type.Literal('NGN'),
}

/** `data` of `virtual_account.credited`: what the provider did not say is left out. */
export const Credited = Type.Object({
  ...credit,
  customerName: Type.Optional(Type.String()),
  customerEmail: Type.Optional(Type.String()),
})
export type Credited = Static<typeof Credited>

export const Credit = Type.Object({
  id: Id,
  ...credit,
  customerName: nullable(Type.String()),
  customerEmail: nullable(Type.String()),
  createdAt: Instant,
})
export type Credit = Static<typeof Credit>
export const CreditPage = pageOf('credits', Credit)
export const CreditQuery = pageQuery({})
export type CreditQuery = Static<typeof CreditQuery>

/** An account number of the outside world: what is not one leads nowhere. */
export const ByAccountNumber = strict({ accountNumber: Type.String({ maxLength: 64 }) })
export const SandboxCredit = strict({
  amount: Amount,
  customerName: optional(Text()),
  customerEmail: optional(Text(254)),
  transactionReference: optional(Reference),
})
export type SandboxCredit = Static<typeof SandboxCredit>
export const SandboxCreditBody = dataOf(
  Type.Object({ accountNumber: Type.String(), amount: AmountOut, transactionReference: Type.String() }),
)
