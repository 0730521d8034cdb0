import type { Tx } from '../db/database.ts'
import { planByIndex } from '../db/plans.ts'
import type { Deps } from '../deps.ts'
import type { NoticeHandler, NoticeOf } from '../rails/inbox/operations.ts'
import { post } from '../ledger/post.ts'
import { addTransfers } from '../transfers/announce.ts'
import { movePayouts } from './announce.ts'
import * as orders from './order-store.ts'
import { returnPosting } from './postings.ts'
import { review } from './review.ts'
import * as store from './store.ts'

type Told = {
  readonly notice: NoticeOf<'payout'>['notice']
  readonly key: store.PayoutKey & { readonly rail: string; readonly orderId: string }
}

/** What a rail tells of payouts on its own. One that is behind the state changes nothing. */
export const applyPayoutNotices: NoticeHandler<'payout'> = async (deps, tx, notices) => {
  await planByIndex(tx)
  const known = await orders.findByOrder(
    tx,
    notices.map(({ rail, notice }) => ({ rail, orderId: notice.orderId })),
  )
  const byOrder = new Map(known.map((one) => [`${one.rail}/${one.orderId}`, one]))
  const told = notices.flatMap(({ rail, notice }) => {
    const key = byOrder.get(`${rail}/${notice.orderId}`)
    return key ? [{ notice, key }] : []
  })
  // Notices of one payout are applied one after the other, those of different ones together.
  const perPayout = [...Map.groupBy(told, ({ key }) => `${key.organizationId}/${key.id}`).values()]
  for (let wave = 0; perPayout.some((list) => list.length > wave); wave += 1) {
    await applyWave(
      deps,
      tx,
      perPayout.flatMap((list) => list[wave] ?? []),
    )
  }
  return notices.filter(({ rail, notice }) => !byOrder.has(`${rail}/${notice.orderId}`))
}

/** At most one notice per payout. */
async function applyWave(deps: Deps, tx: Tx, told: readonly Told[]): Promise<void> {
  const at = deps.now()
  const notices = new Map(told.map(({ notice, key }) => [key.id, notice]))
  const locked = await store.lockPayouts(
    tx,
    told.map(({ key }) => key),
  )
  const open = locked.filter(({ status }) => status === 'processing')
  const moved = await movePayouts(
    deps,
    tx,
    open.map(({ organizationId, id }) => {
      const notice = notices.get(id)!
      const move = { organizationId, id, from: 'processing', at, providerReference: notice.railReference } as const
      // What comes back has been there: the notice of its completion was lost or is on its way.
      return notice.state === 'failed'
        ? { ...move, to: 'failed', failureReason: notice.reason ?? 'rejected_by_provider' }
        : { ...move, to: 'completed' }
    }),
  )
  const now = new Map([...locked, ...moved].map((row) => [row.id, row]))
  const back = told.filter(({ notice, key }) => {
    const row = now.get(key.id)!
    return notice.state === 'returned' && row.status === 'completed' && row.returnedAt === null
  })
  await giveBack(
    deps,
    tx,
    back.map(({ key, notice }) => ({ row: now.get(key.id)!, reason: notice.reason ?? 'returned' })),
  )
  await review(
    deps,
    tx,
    told.flatMap(({ notice, key }) => {
      const row = locked.find(({ id }) => id === key.id)
      return row && contradicts(row, notice) ? [{ ...key, amount: row.targetAmount, currency: row.targetCurrency }] : []
    }),
  )
}

/** A rail that says "failed" of what it completed, or the other way round: money may be where our books do not see it. */
function contradicts(row: store.PayoutRow, { state }: Told['notice']): boolean {
  return (row.status === 'failed' && state === 'completed') || (row.status === 'completed' && state === 'failed')
}

/** Puts the source amount back into the wallet as a transfer of its own; the payout stays completed. */
async function giveBack(
  deps: Deps,
  tx: Tx,
  returns: readonly { row: store.PayoutRow; reason: string }[],
): Promise<void> {
  if (returns.length === 0) return
  const at = deps.now()
  const transfers = returns.map(({ row, reason }) => ({ row, reason, transferId: deps.newId(at) }))
  await store.markReturned(
    tx,
    transfers.map(({ row: { organizationId, id }, reason, transferId }) => ({
      organizationId,
      id,
      at,
      reason,
      transferId,
    })),
  )
  await addTransfers(
    deps,
    tx,
    transfers.map(({ row, reason, transferId }) => ({
      organizationId: row.organizationId,
      id: transferId,
      kind: 'payout_return',
      direction: 'out',
      reference: returnReference(row),
      status: 'completed',
      failureReason: null,
      sourceAmount: row.sourceAmount,
      sourceCurrency: row.sourceCurrency,
      targetAmount: row.sourceAmount,
      targetCurrency: row.sourceCurrency,
      exchangeRate: '1',
      rateSource: 'same-currency',
      rateAsOf: at,
      quoteId: null,
      sourceOrganizationId: row.organizationId,
      destinationOrganizationId: row.organizationId,
      payoutId: row.id,
      description: reason,
      createdBy: null,
      createdAt: at,
      completedAt: at,
    })),
  )
  await post(
    tx,
    transfers.map(({ row, transferId }) => returnPosting(row, transferId, returnReference(row), at)),
  )
}

function returnReference({ id }: store.PayoutRow): string {
  return `return:${id}`
}
