import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../errors.ts'
import { findAttempts, updateAttempts } from '../attempt-store.ts'
import { applyFacts } from '../facts.ts'
import { movePayments } from '../move.ts'
import { linkOf, present } from '../present.ts'
import { endOrder } from '../questions.ts'
import type { Payment } from '../schema.ts'
import { isLive, isOpen } from '../states.ts'
import * as store from '../store.ts'
import { makeLinkToken } from './create.ts'

/** How long cancelling waits for the rail to end what the payer has begun. */
const MAX_WAIT_MS = 3_000
const LINK_LIFE_MS = 24 * 60 * 60 * 1000

/**
 * Ends at the rail what a payer has begun, before the payment is cancelled. What the rail says is committed by itself:
 * if it is paid, it stays paid, whatever the cancelling answers.
 */
export async function endBeforeCancel(deps: Deps, organizationId: string, id: string): Promise<void> {
  const payment = await store.findPayment(deps.db, organizationId, id)
  if (payment?.status !== 'authorising') return
  const attempt = (await findAttempts(deps.db, [payment])).find((one) => one.id === payment.attemptId)
  if (!attempt || !isLive(attempt.status)) return
  const facts = await endOrder(deps, attempt, MAX_WAIT_MS)
  if (facts) await deps.db.transaction((tx) => applyFacts(deps, tx, facts))
}

/** Cancels a payment nobody has finished paying. */
export async function cancelPayment(deps: Deps, organizationId: string, id: string): Promise<Payment> {
  return deps.db.transaction(async (tx) => {
    const payment = await store.lockPayment(tx, organizationId, id)
    if (payment.status !== 'cancelled') {
      if (!isOpen(payment.status)) throw new Refusal('payment_not_cancellable')
      await movePayments(deps, tx, [{ payment, to: 'cancelled' }])
      await endAttempts(deps, tx, [payment])
    }
    return presentAgain(deps, tx, payment)
  })
}

/** Attempts of payments that have ended are ended at their rails, by a worker, until the rail says so. */
export async function endAttempts(deps: Deps, tx: Tx, payments: readonly store.PaymentKey[]): Promise<void> {
  const at = deps.now()
  const live = (await findAttempts(tx, payments)).filter(({ status }) => isLive(status))
  await updateAttempts(
    tx,
    live.map((attempt) => ({ ...attempt, voidAt: at, at })),
  )
  if (live.length > 0) tx.wake('payment-attempts')
}

/** A new link token; the old one opens nothing new from now on. */
export async function refreshLink(deps: Deps, organizationId: string, id: string) {
  return deps.db.transaction(async (tx) => {
    const payment = await store.lockPayment(tx, organizationId, id)
    const at = deps.now()
    if (!isOpen(payment.status) || payment.expiresAt <= at) throw new Refusal('payment_not_open')
    // A day, and never past the payment itself.
    const lifeMs = Math.min(LINK_LIFE_MS, payment.expiresAt.getTime() - at.getTime())
    const linkExpiresAt = new Date(at.getTime() + lifeMs)
    const linkToken = makeLinkToken(at)
    await store.replaceLink(tx, payment, { token: linkToken, expiresAt: linkExpiresAt, at })
    return {
      paymentId: id.toLowerCase(),
      linkToken,
      paymentLink: linkOf(deps, linkToken),
      linkExpiresAt: linkExpiresAt.toISOString(),
    }
  })
}

async function presentAgain(deps: Deps, tx: Tx, { organizationId, id }: store.PaymentRow): Promise<Payment> {
  const row = await store.findPresented(tx, organizationId, id)
  if (!row) throw new Refusal('not_found')
  return present(deps, row)
}
