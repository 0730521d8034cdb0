import { Type, type Static } from 'typebox'
import {
  Amount,
  AmountOut,
  CurrencyCode,
  dataOf,
  Id,
  Instant,
  nullable,
  oneOf,
  pageOf,
  pageQuery,
  strict,
} from '../http/schemas.ts'
import { entryKinds } from '../ledger/chart.ts'

export const Wallet = Type.Object({
  id: Id,
  currency: CurrencyCode,
  balance: Type.Number({ description: 'What can be spent now, in major units.' }),
  pendingBalance: Type.Number({ description: 'Executed payments that have not settled.' }),
  heldBalance: Type.Number({ description: 'Reserved for payouts.' }),
  isActive: Type.Boolean(),
  accountNumber: nullable(Type.String()),
  accountName: nullable(Type.String()),
  bankName: nullable(Type.String()),
  createdAt: Instant,
})
export type Wallet = Static<typeof Wallet>
export const WalletBody = dataOf(Wallet)
export const WalletList = dataOf(Type.Array(Wallet))

/** A path names a currency in any case; what is not a supported one, however long, is not found. */
export const ByCurrency = strict({ currency: Type.String() })

export const Entry = Type.Object({
  id: Id,
  direction: oneOf(['credit', 'debit']),
  amount: AmountOut,
  balanceAfter: AmountOut,
  kind: oneOf(entryKinds),
  resourceType: Type.String(),
  resourceId: Id,
  reference: nullable(Type.String()),
  description: nullable(Type.String()),
  createdAt: Instant,
})
export type Entry = Static<typeof Entry>
export const EntryPage = pageOf('entries', Entry)
export const EntryQuery = pageQuery({})
export type EntryQuery = Static<typeof EntryQuery>

export const Funding = strict({ amount: Amount })
export const FundingBody = dataOf(Type.Object({ id: Id, currency: CurrencyCode, amount: AmountOut }))
