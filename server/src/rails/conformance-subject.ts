import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Destination, Rail, Reply } from './rail.ts'

/** What a rail's own test brings along, so that the suite can put it to the proof. */
export type Subject = {
  readonly rail: Rail
  /** Makes the provider answer nothing in time while `work` runs. */
  whileSilent<T>(work: () => Promise<T>): Promise<T>
  /** Makes the provider answer at once, in words and shapes nobody knows, while `work` runs. */
  whileGibbering<T>(work: () => Promise<T>): Promise<T>
  /** What the provider would send, rightly signed: a notice of any kind, one with an unknown word, and bytes. */
  readonly notices: { readonly good: Sent; readonly unknownWord: Sent; readonly garbage: Sent }
  readonly identity?: { readonly matching: string; readonly mismatching: string; readonly unanswered: string }
  readonly virtualAccounts?: {
    newOrderId(): string
    countAccounts(orderId: string): Promise<number>
    /** Somebody pays into an account; answers the provider's name for the transfer. */
    pay(accountNumber: string): Promise<string>
  }
  readonly payouts?: PayoutSubject
  readonly collections?: CollectionSubject
}
export type Sent = { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer }

/** What a rail's test brings along for payouts. */
export type PayoutSubject = {
  newOrderId(): string
  /** Where the provider pays, and where it says for good that it cannot. */
  readonly good: Destination
  readonly closed: Destination
  /** How many orders of this id the provider has in its own book. */
  countOrders(orderId: string): Promise<number>
}

/** What a rail's test brings along for collections. */
export type CollectionSubject = {
  newOrderId(): string
  /** How many attempts of this id the provider has in its own book. */
  countAttempts(orderId: string): Promise<number>
  /** The payer pays what was asked. */
  pay(orderId: string): Promise<void>
  countReturns(returnId: string): Promise<number>
}

export type SubjectOf = () => Promise<Subject>

/** Every call of a rail has a deadline; none is past this, whatever the provider does. */
const LONGEST_MS = 10_000

/** Silence is an answer: within the deadline, never thrown, and nothing is concluded from it. */
export async function answersUnknown(
  whileSilent: Subject['whileSilent'],
  ask: () => Promise<Reply<unknown> | { readonly state: string }>,
): Promise<void> {
  const startedAt = performance.now()
  const reply = await whileSilent(ask)
  assert.equal(reply.state, 'unknown')
  assert.ok(performance.now() - startedAt < LONGEST_MS, 'a call has a deadline')
}

/** What a provider needs a moment for. */
export async function eventually(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LONGEST_MS
  while (!(await isTrue())) {
    assert.ok(performance.now() < deadline, `not in time: ${what}`)
    await pause(20)
  }
}
