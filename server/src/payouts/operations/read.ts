import type { Deps } from '../../deps.ts'
import { Refusal } from '../../errors.ts'
import { present } from '../present.ts'
import type { Payout, PayoutQuery } from '../schema.ts'
import * as store from '../store.ts'

export async function listPayouts(deps: Deps, organizationId: string, query: PayoutQuery) {
  const { items, pagination } = await store.listPayouts(deps.db, organizationId, query)
  return { payouts: items.map(present), pagination }
}

export async function getPayout(deps: Deps, organizationId: string, id: string): Promise<Payout> {
  const row = await store.findPayout(deps.db, { organizationId, id })
  if (!row) throw new Refusal('not_found')
  return present(row)
}
