import type { Deps } from '../../deps.ts'
import { settlePayments } from '../settling.ts'
import * as store from '../store.ts'

/** Settles executed payments that are due. */
export async function settleDue(deps: Deps, keys: readonly store.PaymentKey[]): Promise<store.PaymentRow[]> {
  const settled = await deps.db.transaction(async (tx) => {
    const at = deps.now()
    const locked = await store.lockPayments(tx, keys)
    deps.faultPoint('payment.settling')
    const moved = await settlePayments(
      deps,
      tx,
      locked.filter(({ status, settlesAt }) => status === 'executed' && settlesAt !== null && settlesAt <= at),
    )
    deps.faultPoint('payment.settled')
    return moved
  })
  deps.faultPoint('payment.settlement_committed')
  return settled
}
