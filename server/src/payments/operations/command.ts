import type { Deps } from '../../deps.ts'
import { invalid } from '../../errors.ts'
import { amountFaults, parseMajor, toMajor } from '../../money/money.ts'
import { commandProvider, noticeUrlOf } from '../../sandbox/provider.ts'
import { findAttempts, insertAttempt } from '../attempt-store.ts'
import type { SandboxCommand, SandboxStepName } from '../schema.ts'
import { lockPayment, type PaymentRow } from '../store.ts'

/** The rail that plays the outside world. */
const SANDBOX = 'sandbox'

/** Tells the simulated provider what happens to a payment, whatever its state; the effect follows by notice. */
export async function commandPayment(
  deps: Deps,
  organizationId: string,
  id: string,
  step: SandboxStepName,
  { amount, transactionReference }: SandboxCommand,
): Promise<{ paymentId: string; step: SandboxStepName }> {
  const { payment, orderId } = await deps.db.transaction(async (tx) => {
    const locked = await lockPayment(tx, organizationId, id)
    return { payment: locked, orderId: await orderOf() }

    /** The order of the newest attempt; where nobody has tried, one is made for the command. */
    async function orderOf(): Promise<string> {
      if (locked.attemptId) return locked.attemptId
      const tried = (await findAttempts(tx, [locked])).findLast(({ methodId }) => methodId === null)
      if (tried) return tried.id
      const attempt = commandAttempt(deps, locked)
      await insertAttempt(tx, attempt)
      return attempt.id
    }
  })
  const { sourceCurrency: currency } = payment
  if (typeof amount === 'number') {
    const fault = parseMajor(amount, currency)
    if (typeof fault === 'string') throw invalid({ param: 'amount', message: amountFaults[fault](currency) })
  }
  await commandProvider(deps, `/collections/${orderId}/commands`, {
    command: step,
    amount: { value: amount ?? toMajor(payment.sourceAmount, currency), currency },
    transactionReference,
    noticeUrl: await noticeUrlOf(deps, SANDBOX),
  })
  return { paymentId: payment.id, step }
}

function commandAttempt(deps: Deps, { organizationId, id }: PaymentRow) {
  const at = deps.now()
  return {
    organizationId,
    id: deps.newId(at),
    paymentId: id,
    rail: SANDBOX,
    methodId: null,
    methodType: null,
    methodName: null,
    status: 'waiting' as const,
    railReference: null,
    step: null,
    reason: null,
    isSettled: false,
    voidAt: null,
    voidCount: 0,
    createdAt: at,
    updatedAt: at,
  }
}
