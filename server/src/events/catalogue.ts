import type { TSchema } from 'typebox'
import { ChangedCustomer, Customer } from '../customers/schema.ts'
import { Transfer } from '../transfers/schema.ts'
import { Credited } from '../virtual-accounts/schema.ts'

/** Every type of event the service announces, with the schema of its `data`. */
export const catalogue = {
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
