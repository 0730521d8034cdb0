import { toMajor } from '../../money/money.ts'
import type { Outcome, PayoutCapability, Reply } from '../rail.ts'
import { instantOf, notUnderstood, type SandboxClient } from './client.ts'

type Wire = { railReference: string; state: string; reason: string | null; completedAt: string | null }

/** Total: a reason that is not here is not understood, and an order is not given up for what nobody understands. */
const reasons: Readonly<Record<string, string>> = {
  account_closed: 'account_closed',
  rejected_by_provider: 'rejected_by_provider',
}

export function payoutsOf(client: SandboxClient, rail: string): PayoutCapability {
  return {
    hasIdempotentOrders: true,
    async send({ orderId, amount, destination, narration }) {
      const noticeUrl = await client.connection.noticeUrl(rail)
      if (!noticeUrl) return { state: 'unknown', cause: 'nobody would hear its notices', isUnsent: true }
      const value = toMajor(amount.amount, amount.currency)
      const order = { orderId, amount: { value, currency: amount.currency }, destination, narration, noticeUrl }
      const reply = await client.ask<Wire>('POST', '/payouts', order)
      if (reply.state === 'refused' && reply.reason === 'no_float') return { state: 'no_float' }
      return outcomeOf(reply)
    },
    async ask(orderId) {
      const reply = await client.ask<Wire>('GET', `/payouts/${encodeURIComponent(orderId)}`)
      if (reply.state === 'refused' && reply.reason === 'no_such_order') return { state: 'not_found' }
      return outcomeOf(reply)
    },
  }
}

/** An order is rejected only where the provider says so in words we know; everything else leaves it unknown. */
function outcomeOf(reply: Reply<Wire>): Outcome {
  if (reply.state === 'unknown') return reply
  if (reply.state === 'refused') return notUnderstood(`the provider refused: ${reply.reason}`)
  const { state, railReference, reason, completedAt } = reply.value
  switch (state) {
    case 'pending':
      return { state, railReference }
    case 'completed': {
      const at = instantOf(completedAt)
      return at ? { state, railReference, completedAt: at } : notUnderstood('the provider names no time of completion')
    }
    case 'failed': {
      const known = reasons[reason ?? '']
      return known ? { state: 'rejected', reason: known } : notUnderstood(`the reason "${reason}" is not known`)
    }
    default:
      return notUnderstood(`the state "${state}" is not known`)
  }
}
