import type { TSchema } from 'typebox'
import { ChangedCustomer, Customer } from '../customers/schema.ts'
import { PaymentEvent } from '../payments/schema.ts'
import { MovedPayout, Payout } from '../payouts/schema.ts'
import { Transfer } from '../transfers/schema.ts'
import { Credited } from '../virtual-accounts/schema.ts'

/** Every type of event the service announces, with the schema of its `data`. */
export const catalogue = {
  'payment.created': { about: 'A payment request was created.', schema: PaymentEvent },
  'payment.initiated': { about: 'The provider accepted the instruction of the payer.', schema: PaymentEvent },
  'payment.executed': {
    about: 'The provider confirmed receipt; the funds are in the pending balance.',
    schema: PaymentEvent,
  },
  'payment.settled': { about: 'The funds cleared and are available in the wallet balance.', schema: PaymentEvent },
  'payment.failed': {
    about: 'The payment failed or was rejected, or it expired (then its status is "expired").',
    schema: PaymentEvent,
  },
  'payment.cancelled': { about: 'The payment request was cancelled.', schema: PaymentEvent },
  'payout.created': { about: 'A payout was created, and waits for processing or approval.', schema: Payout },
  'payout.processing': { about: 'A payout was submitted to the payout rail.', schema: MovedPayout },
  'payout.completed': { about: 'A payout was confirmed completed.', schema: MovedPayout },
  'payout.failed': { about: 'A payout has failed for good; its amount and fee are back.', schema: MovedPayout },
  'payout.cancelled': { about: 'A payout was cancelled, rejected, or nobody decided in time.', schema: MovedPayout },
  'transfer.completed': { about: 'An internal ledger transfer completed.', schema: Transfer },
  'transfer.failed': { about: 'An internal ledger transfer failed.', schema: Transfer },
  'customer.created': { about: 'A customer profile was created.', schema: Customer },
  'customer.updated': { about: 'Details of a customer profile were updated.', schema: ChangedCustomer },
  'virtual_account.credited': {
    about: "A transfer into a permanent virtual account was credited to the organization's available NGN wallet.",
    schema: Credited,
  },
} as const satisfies Record<string, { about: string; schema: TSchema }>

export type EventType = keyof typeof catalogue
export const eventTypes = Object.keys(catalogue) as readonly EventType[]
