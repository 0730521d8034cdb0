import type { Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { decidePayment } from '../payments/decision.ts'
import { decidePayout } from '../payouts/decision.ts'
import type { ReviewItemRow } from './store.ts'

/**
 * Silence a person has broken by asking elsewhere. Of a payment `credit` says that the money is there, `return` that it
 * never came. Of a payout `credit` puts what was held back into the wallet: it was never paid; `return` says that it was.
 */
export async function decideUnanswered(
  deps: Deps,
  tx: Tx,
  { kind, organizationId, resourceId }: ReviewItemRow,
  action: 'credit' | 'return',
): Promise<void> {
  if (kind === 'unanswered_payment') {
    await decidePayment(deps, tx, { organizationId, id: resourceId }, action === 'credit')
  }
  if (kind === 'unanswered_payout') {
    await decidePayout(deps, tx, { organizationId, id: resourceId }, action === 'return')
  }
}
