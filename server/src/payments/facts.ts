import type { Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { post, type Posting } from '../ledger/post.ts'
import { closeAnswered, openReviewItems, type NewReviewItem } from '../review-items/open.ts'
import * as attempts from './attempt-store.ts'
import { decide, type Fact, type Verdict } from './decide.ts'
import { movePayments, type PaymentMove } from './move.ts'
import { executionPosting, suspensePosting } from './postings.ts'
import { FIRST_ASK_MS } from './questions.ts'
import { settlePayments, settlesAtOf } from './settling.ts'
import { isLive, isOpen } from './states.ts'
import { lockPayments, type PaymentKey, type PaymentRow } from './store.ts'

type Matched = { readonly fact: Fact; readonly paymentId: string }
type Judged = { payment: PaymentRow; attempt: attempts.AttemptRow; fact: Fact; verdict: Verdict }

/** What this transaction knows of the payments it has locked. */
type Known = {
  readonly payments: Map<string, PaymentRow>
  readonly attempts: Map<string, attempts.AttemptRow>
  readonly receipts: Set<string>
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Applies what rails said, set-based: the payments are locked in one order, and each takes its facts in the order they
 * were told. Answers, for each fact, the organization whose it is; null where no order of ours is meant.
 */
export async function applyFacts(deps: Deps, tx: Tx, facts: readonly Fact[]): Promise<(string | null)[]> {
  const orders = await attempts.findOrders(
    tx,
    facts.filter(({ orderId }) => uuid.test(orderId)),
  )
  const byOrder = new Map(orders.map((order) => [`${order.rail}/${order.orderId}`, order]))
  const orderOf = (fact: Fact) => byOrder.get(`${fact.rail}/${fact.orderId.toLowerCase()}`)
  if (orders.length > 0) {
    const known = await lockKnown(tx, orders)
    const matched = facts.flatMap((fact) => {
      const order = orderOf(fact)
      return order ? [{ fact: { ...fact, orderId: order.orderId }, paymentId: order.id }] : []
    })
    for (const wave of wavesOf(matched)) await applyWave(deps, tx, known, wave)
    deps.faultPoint('payment.facts_applied')
  }
  return facts.map((fact) => orderOf(fact)?.organizationId ?? null)
}

async function lockKnown(tx: Tx, keys: readonly PaymentKey[]): Promise<Known> {
  const unique = [...new Map(keys.map(({ organizationId, id }) => [id, { organizationId, id }])).values()]
  const payments = await lockPayments(tx, unique)
  const [tried, received] = [await attempts.findAttempts(tx, unique), await attempts.findReceipts(tx, unique)]
  return {
    payments: new Map(payments.map((row) => [row.id, row])),
    attempts: new Map(tried.map((row) => [row.id, row])),
    receipts: new Set(received.map((row) => receiptKey(row.paymentId, row.rail, row.railReference))),
  }
}

/** Cuts facts so that each wave has at most one per payment, in the order they were told. */
function wavesOf(facts: readonly Matched[]): Matched[][] {
  const waves: Matched[][] = []
  const counts = new Map<string, number>()
  for (const fact of facts) {
    const number = counts.get(fact.paymentId) ?? 0
    counts.set(fact.paymentId, number + 1)
    ;(waves[number] ??= []).push(fact)
  }
  return waves
}

async function applyWave(deps: Deps, tx: Tx, known: Known, wave: readonly Matched[]): Promise<void> {
  const judged = wave.flatMap(({ fact, paymentId }) => {
    const [payment, attempt] = [known.payments.get(paymentId), known.attempts.get(fact.orderId)]
    return payment && attempt ? [{ payment, attempt, fact, verdict: judge(deps, known, payment, attempt, fact) }] : []
  })
  const moved = await movePayments(deps, tx, judged.flatMap(moveOf))
  await takeMoney(deps, tx, known, judged, moved)
  const settled = await settlePayments(
    deps,
    tx,
    judged.filter(({ verdict }) => verdict.isSettled).map(({ payment }) => payment),
  )
  for (const row of [...moved, ...settled]) known.payments.set(row.id, row)
  await changeAttempts(deps, tx, known, judged, moved)
  await closeAnswered(
    deps,
    tx,
    moved.filter(({ previousStatus }) => previousStatus === 'initiated'),
  )
}

function judge(deps: Deps, known: Known, payment: PaymentRow, attempt: attempts.AttemptRow, fact: Fact): Verdict {
  const at = deps.now()
  return decide(payment, attempt, fact, {
    at,
    isKnownReceipt: known.receipts.has(receiptKey(payment.id, fact.rail, referenceOf(fact, attempt))),
    settlesAt: settlesAtOf(deps, attempt.rail, at),
    askAt: new Date(at.getTime() + FIRST_ASK_MS),
  })
}

function moveOf({ payment, verdict }: Judged): PaymentMove[] {
  return verdict.move ? [{ payment, ...verdict.move }] : []
}

/** Money into the pending balance or into suspense, each with its receipt, so that it is taken once. */
async function takeMoney(
  deps: Deps,
  tx: Tx,
  known: Known,
  judged: readonly Judged[],
  moved: readonly PaymentRow[],
): Promise<void> {
  const at = deps.now()
  const receipts: attempts.ReceiptRow[] = []
  const postings: Posting[] = []
  const items: NewReviewItem[] = []
  const executed = new Map(moved.map((row) => [row.id, row]))
  for (const { payment, attempt, fact, verdict } of judged) {
    if (!verdict.money) continue
    const { amount: money, goes } = verdict.money
    const railReference = referenceOf(fact, attempt)
    const { organizationId, id: paymentId } = payment
    const common = { organizationId, rail: fact.rail, railReference, orderId: attempt.id, ...money }
    receipts.push({ ...common, paymentId, receivedAt: at })
    known.receipts.add(receiptKey(paymentId, fact.rail, railReference))
    if (goes === 'pending') {
      postings.push(executionPosting(executed.get(paymentId) ?? payment, at))
    } else {
      const id = deps.newId(at)
      items.push({ ...common, id, kind: goes, resourceType: 'payment', resourceId: paymentId, at })
      postings.push(suspensePosting(payment, id, money, at))
    }
  }
  await attempts.insertReceipts(tx, receipts)
  await openReviewItems(tx, items)
  await post(tx, postings)
}

/** What facts say of attempts; and attempts nothing may come of any more are ended at the rail, by a worker. */
async function changeAttempts(
  deps: Deps,
  tx: Tx,
  known: Known,
  judged: readonly Judged[],
  moved: readonly PaymentRow[],
): Promise<void> {
  const at = deps.now()
  const changed = new Map<string, attempts.AttemptRow>()
  for (const { attempt, fact, verdict } of judged) {
    const railReference = attempt.railReference ?? fact.railReference
    if (verdict.attempt || railReference !== attempt.railReference) {
      changed.set(attempt.id, { ...attempt, railReference, ...verdict.attempt })
    }
  }
  const closed = new Map(moved.filter(({ status }) => !isOpen(status)).map((row) => [row.id, row]))
  for (const attempt of known.attempts.values()) {
    const payment = closed.get(attempt.paymentId)
    const current = changed.get(attempt.id) ?? attempt
    if (payment && payment.attemptId !== attempt.id && isLive(current.status)) {
      changed.set(attempt.id, { ...current, voidAt: at })
      tx.wake('payment-attempts')
    }
  }
  for (const attempt of changed.values()) known.attempts.set(attempt.id, attempt)
  await attempts.updateAttempts(
    tx,
    [...changed.values()].map((attempt) => ({ ...attempt, at })),
  )
}

function receiptKey(paymentId: string, rail: string, railReference: string): string {
  return `${paymentId}/${rail}/${railReference}`
}

function referenceOf(fact: Fact, attempt: attempts.AttemptRow): string {
  return fact.railReference ?? attempt.railReference ?? attempt.id
}
