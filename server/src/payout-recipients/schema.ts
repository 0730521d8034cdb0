import { Type, type Static } from 'typebox'
import { CurrencyCode, dataOf, strict } from '../http/schemas.ts'

export const PublicId = Type.String({
  pattern: '^[A-Za-z0-9]{10}$',
  'x-fault': 'must be the 10 letters and digits of a partner-wallet user',
})
export const ByPublicId = strict({ publicId: PublicId })

export const Recipient = Type.Object({
  publicId: Type.String(),
  maskedName: Type.String({ description: 'Enough of the name to recognize it.' }),
  currencies: Type.Array(CurrencyCode),
})
export type Recipient = Static<typeof Recipient>
export const RecipientBody = dataOf(Recipient)
