import type { Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { post } from '../ledger/post.ts'
import { movePayments } from './move.ts'
import { executionPosting } from './postings.ts'
import { settlesAtOf } from './settling.ts'
import { lockPayments, type PaymentKey } from './store.ts'

/** A person has found out what a silent rail did not say: the payment was paid, or never will be. */
export async function decidePayment(deps: Deps, tx: Tx, key: PaymentKey, isPaid: boolean): Promise<void> {
  const [payment] = await lockPayments(tx, [key])
  if (payment?.status !== 'initiated') return
  const at = deps.now()
  if (!isPaid) {
    await movePayments(deps, tx, [
      { payment, to: 'failed', changes: { failureReason: 'provider_silent', askAt: null } },
    ])
    return
  }
  const settlesAt = settlesAtOf(deps, payment.rail ?? '', at) ?? at
  const changes = { executedAt: at, settlesAt, askAt: null }
  const moved = await movePayments(deps, tx, [{ payment, to: 'executed', changes }])
  await post(
    tx,
    moved.map((row) => executionPosting(row, at)),
  )
}
