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
import { amountPair } from '../rates/schema.ts'
import { failureReasons, paymentStatuses } from './states.ts'

export const MIN_EXPIRY_SECONDS = 300
export const MAX_EXPIRY_SECONDS = 2_592_000

function Seconds(description: string) {
  return Type.Integer({ minimum: MIN_EXPIRY_SECONDS, maximum: MAX_EXPIRY_SECONDS, description })
}

export const NewPayment = strict(
  {
    reference: Reference,
    sourceCurrency: CurrencyCode,
    targetCurrency: optional(CurrencyCode),
    sourceAmount: optional(Amount),
    targetAmount: optional(Amount),
    quoteId: optional(Id),
    customerId: optional(Id),
    description: optional(Text()),
    redirectUrl: optional(Text(2048)),
    expiresIn: optional(
      Seconds('Seconds until the request expires. 3 days by default; at most, and by default, 1 day to convert.'),
    ),
    linkExpiresIn: optional(Seconds('Seconds until the link token is too old. 1 day by default.')),
    metadata: optional(Metadata),
  },
  amountPair,
)
export type NewPayment = Static<typeof NewPayment>

const interfaceFields = {
  id: Id,
  reference: Type.String(),
  sourceAmount: AmountOut,
  sourceCurrency: CurrencyCode,
  targetAmount: AmountOut,
  targetCurrency: CurrencyCode,
  exchangeRate: Type.Number(),
}
const Status = oneOf(paymentStatuses)
const Reason = oneOf(failureReasons, { description: 'Why it failed or expired.' })

/** `data` of payment events: exactly these fields, the optional ones left out where they have no value. */
export const PaymentEvent = Type.Object({
  ...interfaceFields,
  status: oneOf(['created', 'initiated', 'executed', 'settled', 'failed', 'cancelled', 'expired']),
  previousStatus: Type.Optional(oneOf(['created', 'initiated', 'executed'])),
  failureReason: Type.Optional(Reason),
})
export type PaymentEvent = Static<typeof PaymentEvent>

export const methodTypes = ['bank_transfer', 'pay_by_bank', 'mobile_money', 'card'] as const

export const Payment = Type.Object({
  ...interfaceFields,
  status: Status,
  previousStatus: nullable(Status),
  failureReason: nullable(Reason),
  customerId: nullable(Id),
  description: nullable(Type.String()),
  metadata: nullable(Metadata),
  redirectUrl: nullable(Type.String()),
  paymentMethod: nullable(Type.Object({ id: Type.String(), type: oneOf(methodTypes), name: Type.String() })),
  feeAmount: Type.Number({ description: 'In the target currency, withheld at settlement.' }),
  netAmount: Type.Number({ description: 'In the target currency: what settlement brings into the wallet.' }),
  linkToken: Type.String(),
  paymentLink: Type.String(),
  linkExpiresAt: Instant,
  expiresAt: Instant,
  syncedAt: nullable(Type.String({ format: 'date-time', description: 'When the provider last said where it stands.' })),
  statusHistory: Type.Array(Type.Object({ status: Status, at: Instant })),
  createdBy: Id,
  createdAt: Instant,
  updatedAt: Instant,
})
export type Payment = Static<typeof Payment>
export const PaymentBody = dataOf(Payment)
export const PaymentPage = pageOf('payments', Payment)

const anyStatus = paymentStatuses.join('|')
export const PaymentQuery = pageQuery({
  status: Type.Optional(
    Type.String({
      pattern: `^(${anyStatus})(,(${anyStatus}))*$`,
      description: 'One status, or several with commas between them.',
      'x-fault': `must be one or several, comma separated, of ${paymentStatuses.join(', ')}`,
    }),
  ),
  customerId: Type.Optional(Id),
  reference: Type.Optional(Reference),
  sourceCurrency: Type.Optional(CurrencyCode),
  ...createdRange,
})
export type PaymentQuery = Static<typeof PaymentQuery>

export const FreshLinkBody = dataOf(
  Type.Object({ paymentId: Id, linkToken: Type.String(), paymentLink: Type.String(), linkExpiresAt: Instant }),
)

export const PaymentMethod = Type.Object({
  id: Type.String(),
  type: oneOf(methodTypes),
  name: Type.String(),
  currency: CurrencyCode,
  country: Type.String(),
  minAmount: AmountOut,
  maxAmount: AmountOut,
  isActive: Type.Boolean(),
})
export const PaymentMethodList = dataOf(Type.Array(PaymentMethod))
export const PaymentMethodQuery = strict({ sourceCurrency: CurrencyCode })

export const sandboxSteps = ['authorise', 'initiate', 'execute', 'settle', 'fail'] as const
export type SandboxStepName = (typeof sandboxSteps)[number]
/** What the payer of the sandbox does differently: another amount, or a second transfer. */
export const SandboxCommand = strict({ amount: optional(Amount), transactionReference: optional(Reference) })
export type SandboxCommand = Static<typeof SandboxCommand>
export const SandboxBody = dataOf(Type.Object({ paymentId: Id, step: oneOf(sandboxSteps) }))
