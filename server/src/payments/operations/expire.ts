import type { Deps } from '../../deps.ts'
import { inLanes } from '../../workers/lanes.ts'
import { findAttempts } from '../attempt-store.ts'
import type { Fact } from '../decide.ts'
import { applyFacts } from '../facts.ts'
import { movePayments } from '../move.ts'
import { endOrder } from '../questions.ts'
import { isLive, isOpen } from '../states.ts'
import * as store from '../store.ts'
import { endAttempts } from './cancel.ts'

/** How many rails are asked at once to end what payers have begun. */
const LANES = 32
const MAX_WAIT_MS = 3_000

/** Expires payments whose time is over. What payers have begun is ended at the rail first, and may turn out to be paid. */
export async function expirePayments(deps: Deps, keys: readonly store.PaymentKey[]): Promise<store.PaymentRow[]> {
  const facts = await endBegun(deps, keys)
  if (facts.length > 0) {
    await deps.db.transaction((tx) => applyFacts(deps, tx, facts))
    deps.faultPoint('payment.endings_committed')
  }
  const expired = await deps.db.transaction(async (tx) => {
    const due = (await store.lockPayments(tx, keys)).filter(
      ({ status, expiresAt }) => isOpen(status) && expiresAt <= deps.now(),
    )
    const moved = await movePayments(
      deps,
      tx,
      due.map((payment) => ({ payment, to: 'expired', changes: { failureReason: 'payment_expired' } })),
    )
    await endAttempts(
      deps,
      tx,
      moved.filter(({ attemptId }) => attemptId !== null),
    )
    deps.faultPoint('payment.expired')
    return moved
  })
  deps.faultPoint('payment.expiry_committed')
  return expired
}

async function endBegun(deps: Deps, keys: readonly store.PaymentKey[]): Promise<Fact[]> {
  const live = (await findAttempts(deps.db, keys)).filter(({ status }) => isLive(status))
  const answers = await inLanes(live, LANES, (attempt) => endOrder(deps, attempt, MAX_WAIT_MS))
  if (live.length > 0) deps.faultPoint('payment.ended_at_rail')
  return answers.flatMap((facts) => facts ?? [])
}
