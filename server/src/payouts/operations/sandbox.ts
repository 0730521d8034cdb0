import type { Deps } from '../../deps.ts'
import { Refusal } from '../../errors.ts'
import { commandProvider } from '../../sandbox/provider.ts'
import type { PayoutCommand } from '../schema.ts'
import * as store from '../store.ts'

/** Statuses in which the provider was told of the payout, or is about to be: it remembers a command for an order to come. */
const told: ReadonlySet<store.PayoutRow['status']> = new Set(['pending', 'processing', 'completed', 'failed'])

/** Tells the built-in provider what to say of a payout; the effect follows by its notice. */
export async function commandPayout(deps: Deps, organizationId: string, id: string, command: PayoutCommand) {
  const row = await store.findPayout(deps.db, { organizationId, id })
  if (!row) throw new Refusal('not_found')
  if (!told.has(row.status)) throw new Refusal('payout_not_sent')
  await commandProvider(deps, `/payouts/${row.id}/${command}`)
  return { payoutId: row.id, command }
}
