import type { Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { post } from '../ledger/post.ts'
import { findUnmatchedReturns, requeueNotices } from '../rails/inbox/operations.ts'
import * as store from './store.ts'

/** What a rail calls money it has sent back. */
export type Returned = { readonly rail: string; readonly returnReference: string }

/** Money on its way back has arrived: it leaves suspense. Answers, for each, the organization whose it was. */
export async function confirmReturns(deps: Deps, tx: Tx, returned: readonly Returned[]): Promise<(string | null)[]> {
  if (returned.length === 0) return []
  const items = await store.lockReturning(tx, returned)
  await finishReturns(
    deps,
    tx,
    items.filter(({ status }) => status === 'returning'),
  )
  const owners = new Map(
    items.map((item) => [nameOf({ ...item, returnReference: item.returnReference! }), item.organizationId]),
  )
  return returned.map((one) => owners.get(nameOf(one)) ?? null)
}

/** Resolves items whose money is back with its payer; they are locked by this transaction. */
export async function finishReturns(deps: Deps, tx: Tx, items: readonly store.ReviewItemRow[]): Promise<void> {
  if (items.length === 0) return
  const at = deps.now()
  await store.updateItems(
    tx,
    items.map((item) => ({ ...item, status: 'resolved', resolvedAt: at, returnAt: null })),
  )
  await post(
    tx,
    items.map(({ organizationId, id, amount, currency }) => ({
      organizationId,
      key: `review_item:${id}:returned`,
      resourceType: 'review_item',
      resourceId: id,
      at,
      lines: [{ currency, debit: 'suspense', credit: 'outside', amount, kind: 'suspense' }],
    })),
  )
}

/** A provider may tell that money is back before its name for the return is on record here: that notice is worked again. */
export async function requeueEarlyReturns(tx: Tx): Promise<void> {
  const early = await findUnmatchedReturns(tx)
  if (early.length === 0) return
  const told = early.map(({ id, rail, notice }) => ({ id, rail, returnReference: notice.railReference }))
  const known = new Set((await store.findReturns(tx, told)).map(nameOf))
  await requeueNotices(
    tx,
    told.filter((one) => known.has(nameOf(one))).map(({ id }) => id),
  )
}

function nameOf({ rail, returnReference }: Returned): string {
  return `${rail}/${returnReference}`
}
