import type { Deps } from '../../deps.ts'
import { Refusal } from '../../errors.ts'
import { findAttempts } from '../attempt-store.ts'
import { applyFacts } from '../facts.ts'
import { present } from '../present.ts'
import { askAbout } from '../questions.ts'
import type { Payment, PaymentQuery } from '../schema.ts'
import * as store from '../store.ts'

/** A reader does not ask again what was asked this recently. */
const ASKED_LATELY_MS = 5_000
/** And waits no longer than this for the rail. */
const MAX_WAIT_MS = 3_000
/** An order younger than this may not have reached the rail yet. */
const ON_ITS_WAY_MS = 10_000

export async function listPayments(deps: Deps, organizationId: string, query: PaymentQuery) {
  const { items, pagination } = await store.listPayments(deps.db, organizationId, query)
  return { payments: items.map((row) => present(deps, row)), pagination }
}

/** The payments of one settlement. */
export async function listSettledPayments(
  deps: Deps,
  organizationId: string,
  settlementId: string,
  query: { page?: number; cursor?: string; limit?: number },
) {
  const { items, pagination } = await store.listOfSettlement(deps.db, organizationId, settlementId, query)
  return { payments: items.map((row) => present(deps, row)), pagination }
}

/** Reads payments; those that stand with a rail are synchronised first. Concurrent readers share one question. */
export type PaymentReader = (deps: Deps, organizationId: string, id: string) => Promise<Payment>

export function createPaymentReader(): PaymentReader {
  const questions = new Map<string, Promise<void>>()

  function synchronise(deps: Deps, payment: store.PresentedRow): Promise<void> {
    const running = questions.get(payment.id)
    if (running) return running
    const question = ask(deps, payment).finally(() => questions.delete(payment.id))
    questions.set(payment.id, question)
    return question
  }

  return async (deps, organizationId, id) => {
    const payment = await store.findPresented(deps.db, organizationId, id)
    if (!payment) throw new Refusal('not_found')
    if (!mayAsk(deps, payment)) return present(deps, payment)
    await synchronise(deps, payment)
    return present(deps, (await store.findPresented(deps.db, organizationId, id)) ?? payment)
  }
}

const askedStatuses = new Set<store.PaymentRow['status']>(['authorising', 'initiated', 'executed'])

function mayAsk(deps: Deps, { status, attemptId, askedAt }: store.PresentedRow): boolean {
  if (!attemptId || !askedStatuses.has(status)) return false
  return askedAt === null || askedAt.getTime() + ASKED_LATELY_MS <= deps.now().getTime()
}

async function ask(deps: Deps, payment: store.PresentedRow): Promise<void> {
  const at = deps.now()
  const before = new Date(at.getTime() - ASKED_LATELY_MS)
  const attempt = (await findAttempts(deps.db, [payment])).find(({ id }) => id === payment.attemptId)
  const isOnItsWay = attempt?.status === 'beginning' && attempt.createdAt.getTime() + ON_ITS_WAY_MS > at.getTime()
  if (!attempt || isOnItsWay) return
  // Over all processes one asks; the others answer from the books.
  if (!(await deps.db.transaction((tx) => store.markAsked(tx, payment, at, before)))) return
  const facts = await askAbout(deps, attempt, MAX_WAIT_MS)
  if (!facts) return
  await deps.db.transaction(async (tx) => {
    await applyFacts(deps, tx, facts)
    await store.markSynced(tx, payment, deps.now())
  })
}
