import type { Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { post } from '../ledger/post.ts'
import { businessDaysAfter } from '../settlements/calendar.ts'
import { addToSettlements } from '../settlements/operations.ts'
import { collectingRail } from './methods.ts'
import { movePayments } from './move.ts'
import { settlementPosting } from './postings.ts'
import type { PaymentRow } from './store.ts'

/** How soon payments settle where nobody has to wait for a bank. */
const SANDBOX_SETTLEMENT_SECONDS = 5

/** When a payment executed at an instant settles; null: when its rail says so. */
export function settlesAtOf(deps: Deps, railName: string, executedAt: Date): Date | null {
  const { settlementSeconds, bankHolidays, env } = deps.config
  const fixed = settlementSeconds ?? (env === 'production' ? 'provider' : SANDBOX_SETTLEMENT_SECONDS)
  if (fixed !== 'provider') return new Date(executedAt.getTime() + fixed * 1000)
  const settlement = collectingRail(deps, railName)?.collections.settlement
  if (!settlement || settlement.by === 'notice') return null
  return businessDaysAfter(executedAt, settlement.businessDays, settlement.country, bankHolidays)
}

/** Settles executed payments, locked by this transaction: into their settlements, pending to available, fee withheld. */
export async function settlePayments(deps: Deps, tx: Tx, payments: readonly PaymentRow[]): Promise<PaymentRow[]> {
  if (payments.length === 0) return []
  const settlementIds = await addToSettlements(
    deps,
    tx,
    payments.map(({ organizationId, id, rail, targetCurrency, targetAmount, feeAmount }) => ({
      organizationId,
      paymentId: id,
      rail: rail ?? 'unknown',
      currency: targetCurrency,
      grossAmount: targetAmount,
      feeAmount,
    })),
  )
  const moved = await movePayments(
    deps,
    tx,
    payments.map((payment) => ({
      payment,
      to: 'settled' as const,
      changes: { settlementId: settlementIds.get(payment.id) ?? null, askAt: null },
    })),
  )
  const at = deps.now()
  await post(
    tx,
    moved.map((row) => settlementPosting(row, at)),
  )
  return moved
}
