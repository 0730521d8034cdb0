import type { Deps } from '../../deps.ts'
import { invalid, Refusal } from '../../errors.ts'
import { findOpenOrganization } from '../../organizations/operations.ts'
import type { CollectionStep } from '../../rails/rail.ts'
import * as attempts from '../attempt-store.ts'
import { hintChanges } from '../changes.ts'
import { applyFacts } from '../facts.ts'
import { methodsOf, type OfferedMethod } from '../methods.ts'
import { movePayments } from '../move.ts'
import { payerPhone } from '../phone.ts'
import { linkOf } from '../present.ts'
import { voidOrder } from '../questions.ts'
import { isLive, isOpen } from '../states.ts'
import * as store from '../store.ts'

export type Choice = { readonly methodId: string; readonly phone?: string; readonly operator?: string }

/** How long a payer may take at a provider's page or with a phone; account details say themselves how long they stand. */
const ATTEMPT_LIFE_MS = 30 * 60 * 1000
/** An order whose answer was not heard is ended soon: nobody can act on it. */
const UNHEARD_LIFE_MS = 60_000
/** Somebody else may choose at the same moment; after so many times we give way. */
const MAX_TRIES = 3

/** The payer opened the link: created becomes pending, once. */
export async function openPayment(deps: Deps, payment: store.PaymentRow): Promise<store.PaymentRow> {
  if (payment.status !== 'created') return payment
  return deps.db.transaction(async (tx) => {
    const row = await store.lockPayment(tx, payment.organizationId, payment.id)
    if (row.status !== 'created' || row.expiresAt <= deps.now()) return row
    const [moved] = await movePayments(deps, tx, [{ payment: row, to: 'pending' }])
    return moved ?? row
  })
}

/** Whether a method takes this payment's amount. */
export function takes(method: OfferedMethod, { sourceAmount }: store.PaymentRow): boolean {
  return method.min.amount <= sourceAmount && sourceAmount <= method.max.amount
}

/**
 * The payer chose a method: an order is committed, then the rail is told. An answer that is not heard is not repeated:
 * the order is ended, and the payer may choose again once the rail has said that it is.
 */
export async function beginAttempt(
  deps: Deps,
  payment: store.PaymentRow,
  choice: Choice,
): Promise<{ step: CollectionStep }> {
  const method = methodsOf(deps, payment.sourceCurrency).find(({ id }) => id === choice.methodId)
  if (!method || !takes(method, payment)) {
    throw invalid({ param: 'methodId', message: 'is not a way this payment can be paid' })
  }
  const payer = method.type === 'mobile_money' ? payerPhone(method, choice) : null
  const { row, attempt } = await commitAttempt(deps, payment, method)
  deps.faultPoint('payment.ordered')
  const answer = await method.rail.collections.begin({
    orderId: attempt.id,
    methodId: method.id,
    amount: { amount: row.sourceAmount, currency: row.sourceCurrency },
    payee: (await findOpenOrganization(deps.db, row.organizationId))?.name ?? '',
    description: row.description,
    payer,
    returnUrl: `${linkOf(deps, row.linkToken)}/return`,
    at: attempt.createdAt,
  })
  deps.faultPoint('payment.begun_at_rail')
  if (answer.state === 'answered') {
    await keepAnswer(deps, row, attempt, answer.value)
    return { step: answer.value.step }
  }
  if (answer.state === 'refused') {
    await apply(deps, [{ ...factOf(attempt), state: 'declined', reason: answer.reason }])
    throw new Refusal('payment_method_refused')
  }
  // A rail that was certainly not asked has no order; any other silence is answered by the rail or by time.
  const facts = answer.isUnsent
    ? [{ ...factOf(attempt), state: 'voided' as const }]
    : await voidOrder(deps, attempt, 3_000)
  if (facts) await apply(deps, facts)
  throw new Refusal('collection_provider_unavailable')
}

async function commitAttempt(deps: Deps, payment: store.PaymentRow, method: OfferedMethod) {
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const free = await comeBack(deps, payment)
    // The earlier attempt was neither ended nor heard of: a second one could be paid twice.
    if (free.status === 'authorising') throw new Refusal('collection_provider_unavailable')
    const committed = await deps.db.transaction(async (tx) => {
      const row = await store.lockPayment(tx, payment.organizationId, payment.id)
      const at = deps.now()
      if (!isOpen(row.status) || row.expiresAt <= at) throw new Refusal('payment_not_open')
      if (row.status === 'authorising') return undefined
      const attempt = newAttempt(deps, row, method, at)
      await attempts.insertAttempt(tx, attempt)
      const { id: attemptId, rail, methodId, methodType, methodName } = attempt
      const changes = { attemptId, rail, methodId, methodType, methodName }
      const [moved] = await movePayments(deps, tx, [{ payment: row, to: 'authorising', changes }])
      return { row: moved ?? row, attempt }
    })
    if (committed) return committed
  }
  throw new Refusal('payment_busy')
}

function newAttempt(deps: Deps, row: store.PaymentRow, method: OfferedMethod, at: Date): attempts.AttemptRow {
  return {
    organizationId: row.organizationId,
    id: deps.newId(at),
    paymentId: row.id,
    rail: method.rail.name,
    methodId: method.id,
    methodType: method.type,
    methodName: method.name,
    status: 'beginning',
    railReference: null,
    step: null,
    reason: null,
    isSettled: false,
    voidAt: new Date(at.getTime() + UNHEARD_LIFE_MS),
    voidCount: 0,
    createdAt: at,
    updatedAt: at,
  }
}

async function keepAnswer(
  deps: Deps,
  row: store.PaymentRow,
  attempt: attempts.AttemptRow,
  { railReference, step }: { railReference: string; step: CollectionStep },
): Promise<void> {
  const at = deps.now()
  const stored = step.kind === 'transfer' ? { ...step, expiresAt: step.expiresAt.toISOString() } : step
  const lapsesAt = step.kind === 'transfer' ? step.expiresAt : new Date(at.getTime() + ATTEMPT_LIFE_MS)
  await deps.db.transaction(async (tx) => {
    await store.lockPayment(tx, row.organizationId, row.id)
    await attempts.markBegun(tx, attempt, { railReference, step: stored, voidAt: lapsesAt, at })
    // The status is the same, and yet other pages that show this payment have something new to show.
    hintChanges(tx, [row])
  })
}

/**
 * The payer returned, or would rather choose another method: the rail is asked, and an attempt nobody has approved is
 * ended there. While the rail is silent the attempt is kept.
 */
export async function comeBack(deps: Deps, payment: store.PaymentRow): Promise<store.PaymentRow> {
  const current = await currentAttempt(deps, payment)
  if (current) {
    const isEnded = !isLive(current.status)
    const facts = isEnded ? [{ ...factOf(current), state: 'voided' as const }] : await voidOrder(deps, current)
    if (facts) await apply(deps, facts)
  }
  return (await store.findPayment(deps.db, payment.organizationId, payment.id)) ?? payment
}

/** The attempt an authorising payment stands with, read afresh. */
async function currentAttempt(deps: Deps, { organizationId, id }: store.PaymentRow) {
  const payment = await store.findPayment(deps.db, organizationId, id)
  if (payment?.status !== 'authorising') return undefined
  const all = await attempts.findAttempts(deps.db, [{ organizationId, id }])
  return all.find((attempt) => attempt.id === payment.attemptId)
}

async function apply(deps: Deps, facts: Parameters<typeof applyFacts>[2]): Promise<void> {
  await deps.db.transaction((tx) => applyFacts(deps, tx, facts))
}

function factOf({ rail, id }: attempts.AttemptRow) {
  return { rail, orderId: id, railReference: null, amount: null, reason: null }
}
