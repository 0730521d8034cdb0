import type { Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { decidePayment } from '../payments/decision.ts'
import type { ReviewItemRow } from './store.ts'

/** Silence a person has broken by asking elsewhere: `credit` says that the money is there, `return` that it never came. */
export async function decideUnanswered(
  deps: Deps,
  tx: Tx,
  { kind, organizationId, resourceId }: ReviewItemRow,
  action: 'credit' | 'return',
): Promise<void> {
  if (kind === 'unanswered_payment') {
    await decidePayment(deps, tx, { organizationId, id: resourceId }, action === 'credit')
  }
}
