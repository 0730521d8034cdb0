import type { PayoutCapability } from '../rails/rail.ts'
import type { Next, Order } from './order-store.ts'

export type Answer = Awaited<ReturnType<PayoutCapability['send']>> | Awaited<ReturnType<PayoutCapability['ask']>>

/** What follows from an answer: the payout has come to its end, the conversation goes on, or a person has to look. */
export type Verdict =
  | { readonly kind: 'completed'; readonly providerReference: string }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'go_on' | 'review'; readonly next: Next }

/** Silence is asked about first after this long, and then after ever longer times. */
export const FIRST_ASK_MS = 5_000
const LONGEST_ASK_MS = 6 * 60 * 60 * 1000
/** A rail without float is tried again at least this often: money waits. */
const LONGEST_FLOAT_MS = 5 * 60 * 1000
/** "No such order" counts when it is said twice, so far apart: an order on its way may be booked late. */
const NOT_FOUND_APART_MS = 60_000
/** After this much silence a person decides. */
const SILENCE_MS = 24 * 60 * 60 * 1000

/**
 * Decides what an answer means. Nothing is concluded from silence: an order that may have reached the rail is only
 * asked about. It is sent again, under the same id, in exactly three cases: the rail said it has no float and did not
 * take it; the rail was certainly not asked; the rail said twice that there is no such order, and takes the same order
 * id only once.
 */
export function verdictOf(order: Order, answer: Answer, hasIdempotentOrders: boolean, now: Date): Verdict {
  const asked = order.step === 'send' ? 0 : order.asked + 1
  const heard = nextOf(order, { step: 'ask', asked, dueAt: later(now, intervalMs(asked)), at: now })
  switch (answer.state) {
    case 'completed':
      return { kind: 'completed', providerReference: answer.railReference }
    case 'rejected':
      return { kind: 'failed', reason: answer.reason }
    case 'pending':
      return { kind: 'go_on', next: { ...heard, providerReference: answer.railReference } }
    case 'no_float': {
      const tries = order.asked + 1
      const dueAt = later(now, Math.min(intervalMs(tries - 1), LONGEST_FLOAT_MS))
      return { kind: 'go_on', next: { ...heard, step: order.step, asked: tries, dueAt, waitingReason: 'rail_float' } }
    }
    case 'not_found':
      return notFound(order, heard, hasIdempotentOrders, now)
    case 'unknown': {
      const isUnsent = answer.isUnsent === true && order.step === 'send'
      return silent(order, isUnsent ? { ...heard, step: 'send', dueAt: later(now, FIRST_ASK_MS) } : heard, now)
    }
  }
}

function notFound(order: Order, heard: Next, hasIdempotentOrders: boolean, now: Date): Verdict {
  const since = order.notFoundAt ?? now
  const isSure = now.getTime() - since.getTime() >= NOT_FOUND_APART_MS
  if (!isSure) return { kind: 'go_on', next: { ...heard, notFoundAt: since, dueAt: later(since, NOT_FOUND_APART_MS) } }
  if (!hasIdempotentOrders || order.resentAt)
    return { kind: 'review', next: { ...heard, notFoundAt: since, dueAt: null } }
  return { kind: 'go_on', next: { ...heard, step: 'send', asked: 0, dueAt: now, resentAt: now } }
}

function silent(order: Order, next: Next, now: Date): Verdict {
  const silentSince = order.silentSince ?? now
  const endsAt = later(silentSince, SILENCE_MS)
  const kept = { ...next, silentSince, notFoundAt: order.notFoundAt }
  if (now >= endsAt) return { kind: 'review', next: { ...kept, dueAt: null } }
  const dueAt = next.dueAt && next.dueAt < endsAt ? next.dueAt : endsAt
  return { kind: 'go_on', next: { ...kept, dueAt } }
}

function nextOf(order: Order, next: Pick<Next, 'step' | 'asked' | 'dueAt' | 'at'>): Next {
  const { organizationId, id, resentAt } = order
  return {
    organizationId,
    id,
    resentAt,
    silentSince: null,
    notFoundAt: null,
    waitingReason: null,
    providerReference: null,
    ...next,
  }
}

function intervalMs(asked: number): number {
  return Math.min(FIRST_ASK_MS * 2 ** Math.min(asked, 30), LONGEST_ASK_MS)
}

function later(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms)
}
