import type { Deps } from '../../deps.ts'
import { openReviewItems } from '../../review-items/open.ts'
import { inLanes } from '../../workers/lanes.ts'
import { findAttempts, updateAttempts, type AttemptRow } from '../attempt-store.ts'
import type { Fact } from '../decide.ts'
import { applyFacts } from '../facts.ts'
import { askAbout, askIntervalMs, SILENCE_MS, voidOrder } from '../questions.ts'
import { isLive } from '../states.ts'
import * as store from '../store.ts'

/** How many questions are under way at once. */
const LANES = 32

/** Asks the rails about payments whose notice has not come. After long silence a person is told. */
export async function askAboutPayments(deps: Deps, keys: readonly store.PaymentKey[]): Promise<void> {
  const attempts = new Map((await findAttempts(deps.db, keys)).map((attempt) => [attempt.id, attempt]))
  const asked = await store.findPayments(deps.db, keys)
  const orders = asked.flatMap(({ attemptId }) => attempts.get(attemptId ?? '') ?? [])
  const answers = await inLanes(orders, LANES, (attempt) => askAbout(deps, attempt))
  deps.faultPoint('payment.answered')
  await deps.db.transaction(async (tx) => {
    await applyFacts(
      deps,
      tx,
      answers.flatMap((facts) => facts ?? []),
    )
    const at = deps.now()
    const heard = new Set(orders.filter((_, index) => answers[index]).map(({ paymentId }) => paymentId))
    const waiting = (await store.lockPayments(tx, keys)).filter(({ askAt }) => askAt !== null && askAt <= at)
    const isSilent = ({ status, initiatedAt }: store.PaymentRow) =>
      status === 'initiated' && initiatedAt !== null && initiatedAt.getTime() + SILENCE_MS <= at.getTime()
    await store.updateAsks(
      tx,
      waiting.map((payment) => ({
        ...payment,
        askedAt: at,
        syncedAt: heard.has(payment.id) ? at : payment.syncedAt,
        askAt: isSilent(payment) ? null : nextAskAt(payment, at),
        askCount: payment.askCount + 1,
      })),
    )
    await openReviewItems(
      tx,
      waiting
        .filter(isSilent)
        .map(({ organizationId, id, sourceAmount, sourceCurrency, rail, attemptId }) => ({
          organizationId,
          id: deps.newId(at),
          kind: 'unanswered_payment' as const,
          amount: sourceAmount,
          currency: sourceCurrency,
          rail: rail ?? 'unknown',
          railReference: attempts.get(attemptId ?? '')?.railReference ?? null,
          orderId: attemptId,
          resourceType: 'payment',
          resourceId: id,
          at,
        })),
    )
  })
  deps.faultPoint('payment.answers_committed')
}

/** Less and less often, and in any case when the silence has lasted too long. */
function nextAskAt({ askCount, status, initiatedAt }: store.PaymentRow, at: Date): Date {
  const next = at.getTime() + askIntervalMs(askCount + 1)
  const limit = status === 'initiated' && initiatedAt ? initiatedAt.getTime() + SILENCE_MS : Infinity
  return new Date(Math.min(next, limit))
}

/** Ends attempts at their rails: those that have lapsed, and those nothing may come of any more. */
export async function endDueAttempts(deps: Deps, due: readonly AttemptRow[]): Promise<void> {
  const answers = await inLanes(due, LANES, (attempt) => voidOrder(deps, attempt))
  deps.faultPoint('payment.ended_at_rail')
  await deps.db.transaction(async (tx) => {
    const facts = answers
      .flatMap((found) => found ?? [])
      .map((fact): Fact => (fact.state === 'voided' ? { ...fact, reason: 'lapsed' } : fact))
    await applyFacts(deps, tx, facts)
    const at = deps.now()
    const keys = due.map(({ organizationId, paymentId }) => ({ organizationId, id: paymentId }))
    await store.lockPayments(tx, keys)
    const ids = new Set(due.map(({ id }) => id))
    const unheard = (await findAttempts(tx, keys)).filter(
      ({ id, voidAt }) => ids.has(id) && voidAt !== null && voidAt <= at,
    )
    await updateAttempts(
      tx,
      unheard.map((attempt) => ({ ...attempt, at, voidCount: attempt.voidCount + 1, voidAt: nextVoidAt(attempt, at) })),
    )
  })
}

/** Given up when the rail has been silent too long: what may still come is a review item then. */
function nextVoidAt({ status, voidCount, createdAt }: AttemptRow, at: Date): Date | null {
  if (!isLive(status) || createdAt.getTime() + SILENCE_MS <= at.getTime()) return null
  return new Date(at.getTime() + askIntervalMs(voidCount))
}
