import type { Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { movePayouts } from './announce.ts'
import { lockPayouts, type PayoutKey } from './store.ts'

/**
 * A person has asked the provider elsewhere and knows what became of a payout it was silent about. One that has come to
 * its end meanwhile stays as it is.
 */
export async function decidePayout(deps: Deps, tx: Tx, key: PayoutKey, isPaid: boolean): Promise<void> {
  const [row] = await lockPayouts(tx, [key])
  if (row?.status !== 'processing') return
  const { organizationId, id } = row
  const move = { organizationId, id, from: 'processing', at: deps.now() } as const
  await movePayouts(deps, tx, [
    isPaid ? { ...move, to: 'completed' } : { ...move, to: 'failed', failureReason: 'unanswered' },
  ])
}
