import type { FastifyInstance } from 'fastify'
import type { Behaviours } from './behaviour.ts'
import type { Book } from './book.ts'
import type { Announcer } from './notices.ts'

/** What a part of the provider works with. */
export type Part = {
  /** Routes of the provider's API: only callers with the secret get in, and it may be slow or down. */
  readonly api: FastifyInstance
  /** Routes for people: pages where payers approve. */
  readonly pages: FastifyInstance
  readonly book: Book
  readonly announcer: Announcer
  /** How each capability was told to behave. */
  readonly behaviours: Behaviours
  /** The origin payers' browsers reach its pages at. */
  readonly publicUrl: () => string
  /** Does something again and again, one at a time, until the provider is closed. */
  readonly every: (ms: number, work: () => Promise<void>) => void
}
