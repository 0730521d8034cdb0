import type { TSchema } from 'typebox'
import { Transfer } from '../transfers/schema.ts'

/** Every type of event the service announces, with the schema of its `data`. */
export const catalogue = {
  'transfer.completed': { about: 'An internal ledger transfer completed.', schema: Transfer },
  'transfer.failed': { about: 'An internal ledger transfer failed.', schema: Transfer },
} as const satisfies Record<string, { about: string; schema: TSchema }>

export type EventType = keyof typeof catalogue
export const eventTypes = Object.keys(catalogue) as readonly EventType[]
