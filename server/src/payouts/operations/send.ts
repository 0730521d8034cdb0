import { planByIndex } from '../../db/plans.ts'
import type { Deps } from '../../deps.ts'
import type { WorkerDeps } from '../../workers/worker.ts'
import { movePayouts } from '../announce.ts'
import { verdictOf, type Answer, type Verdict } from '../conversation.ts'
import * as orders from '../order-store.ts'
import { review } from '../review.ts'
import type * as store from '../store.ts'

/** An order in the hands of a process. */
export type Claimed = orders.Order & { readonly claimedBy: string }

/**
 * Takes payouts nobody has sent yet: they are processing, announced, and their order id is fixed, before any rail is
 * called. From here on a crash leaves an order to be asked about, never one to be sent again.
 */
export async function claimPending(deps: WorkerDeps, most: number): Promise<Claimed[]> {
  const [rail] = deps.rails.having('payouts')
  if (!rail) return []
  const claimedBy = deps.processId()
  return deps.db.transaction(async (tx) => {
    await planByIndex(tx)
    const at = deps.now()
    const keys = await orders.lockPending(tx, at, most)
    if (keys.length === 0) return []
    deps.faultPoint('payout.claimed')
    const moved = await movePayouts(
      deps,
      tx,
      keys.map(({ organizationId, id }) => ({ organizationId, id, from: 'pending', to: 'processing', at })),
    )
    await orders.insertOrders(tx, moved, rail.name, claimedBy, at)
    await deps.happened(happeningsOf(moved), tx)
    return moved.map((row) => firstOrder(row, rail.name, claimedBy))
  })
}

function firstOrder(row: store.PayoutRow, rail: string, claimedBy: string): Claimed {
  const { organizationId, id, targetAmount, targetCurrency, destination, narration } = row
  return {
    organizationId,
    id,
    rail,
    orderId: id,
    step: 'send',
    asked: 0,
    silentSince: null,
    notFoundAt: null,
    resentAt: null,
    amount: targetAmount,
    currency: targetCurrency,
    destination,
    narration,
    claimedBy,
  }
}

/** Takes orders whose next step is due. */
export async function claimDue(deps: WorkerDeps, most: number): Promise<Claimed[]> {
  const claimedBy = deps.processId()
  const due = await deps.db.transaction(async (tx) => {
    await planByIndex(tx)
    return orders.claimDue(tx, deps.now(), most, claimedBy)
  })
  return due.map((order) => ({ ...order, claimedBy }))
}

/** Calls the rail. Nothing is written; no transaction is open. */
export async function converse(deps: Deps, order: Claimed): Promise<Answer> {
  const rail = deps.rails.find(order.rail)?.payouts
  if (!rail) return { state: 'unknown', cause: `there is no rail called ${order.rail}`, isUnsent: true }
  if (order.step === 'ask') return rail.ask(order.orderId)
  const { orderId, amount, currency, destination, narration } = order
  return rail.send({ orderId, amount: { amount, currency }, destination, narration })
}

export type Answered = Claimed & { readonly answer: Answer }

/** Writes down what rails answered. What another process has claimed meanwhile is no longer ours to write. */
export async function recordAnswers(deps: WorkerDeps, answered: readonly Answered[]): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await planByIndex(tx)
    const ours = new Set((await orders.lockClaimed(tx, answered)).map(({ id }) => id))
    const at = deps.now()
    const verdicts = answered
      .filter(({ id }) => ours.has(id))
      .map((order) => ({ order, verdict: verdictOf(order, order.answer, hasIdempotentOrders(deps, order), at) }))
    const moved = await movePayouts(
      deps,
      tx,
      verdicts.flatMap(({ order, verdict }) => moveOf(order, verdict, at)),
    )
    const next = verdicts.flatMap(({ verdict }) => ('next' in verdict ? [verdict.next] : []))
    if (next.length > 0) await orders.goOn(tx, next)
    await review(
      deps,
      tx,
      verdicts.filter(({ verdict }) => verdict.kind === 'review').map(({ order }) => order),
    )
    await deps.happened(happeningsOf(moved), tx)
    deps.faultPoint('payout.recorded')
    // What is due at once, an order to be sent again, should not wait for the next look.
    if (next.some(({ dueAt }) => dueAt && dueAt <= at)) tx.wake('payouts')
  })
}

function hasIdempotentOrders(deps: Deps, { rail }: Claimed): boolean {
  return deps.rails.find(rail)?.payouts?.hasIdempotentOrders ?? false
}

function moveOf({ organizationId, id }: Claimed, verdict: Verdict, at: Date): store.StatusUpdate[] {
  switch (verdict.kind) {
    case 'completed': {
      const { providerReference } = verdict
      return [{ organizationId, id, from: 'processing', to: 'completed', at, providerReference }]
    }
    case 'failed':
      return [{ organizationId, id, from: 'processing', to: 'failed', at, failureReason: verdict.reason }]
    case 'go_on':
    case 'review':
      return []
  }
}

export function happeningsOf(moved: readonly store.PayoutRow[]) {
  return moved.map(({ id, status }) => ({ kind: `payout.${status}`, resourceType: 'payout', resourceId: id }))
}

/** An answer that cannot be written down is set aside: nothing more is done about its order until a person has looked. */
export async function setOrderAside(tx: Parameters<typeof orders.closeOrders>[0], key: store.PayoutKey): Promise<void> {
  await orders.closeOrders(tx, [key])
}
