import { recordAct } from '../audit-log/operations.ts'
import type { Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import type { Actor } from '../http/authentication.ts'
import { post } from '../ledger/post.ts'
import { feeRules } from '../money/fees.ts'
import { toMajor, withhold, type Money } from '../money/money.ts'
import { collectingRail } from '../payments/methods.ts'
import { addTransfers } from '../transfers/announce.ts'
import { inLanes } from '../workers/lanes.ts'
import { hasMoney } from './kinds.ts'
import { finishReturns, requeueEarlyReturns } from './returns.ts'
import type { Resolution, ReviewItem, ReviewItemQuery } from './schema.ts'
import * as store from './store.ts'
import { decideUnanswered } from './unanswered.ts'

/** A rail that is silent about a return is told again after this long, then less and less often. */
const FIRST_RETRY_MS = 5_000
const LONGEST_RETRY_MS = 60 * 60 * 1000
const LANES = 16

export async function listReviewItems(deps: Deps, organizationId: string, query: ReviewItemQuery) {
  const { items, pagination } = await store.listItems(deps.db, organizationId, query)
  return { reviewItems: items.map(present), pagination }
}

export async function getReviewItem(deps: Deps, organizationId: string, id: string): Promise<ReviewItem> {
  const row = await store.findItem(deps.db, organizationId, id)
  if (!row) throw new Refusal('not_found')
  return present(row)
}

/** A person decides: the money is credited at once, or sent back, which takes until the rail confirms it. */
export async function resolveReviewItem(
  deps: Deps,
  organizationId: string,
  actor: Actor,
  id: string,
  { action, note }: Resolution,
): Promise<ReviewItem> {
  return deps.db.transaction(async (tx) => {
    const [item] = await store.lockItems(tx, [{ organizationId, id }])
    if (!item) throw new Refusal('not_found')
    if (item.status !== 'open') throw new Refusal('review_item_not_open')
    const at = deps.now()
    const isReturning = action === 'return' && hasMoney(item.kind)
    const decided: store.ReviewItemRow = {
      ...item,
      note,
      resolvedBy: actor.id,
      ...(isReturning ? { status: 'returning', returnAt: at } : { status: 'resolved', resolvedAt: at }),
    }
    await store.updateItems(tx, [decided])
    if (isReturning) tx.wake('review-returns')
    else if (hasMoney(item.kind)) await credit(deps, tx, decided)
    else await decideUnanswered(deps, tx, item, action)
    await recordAct(deps, tx, {
      organizationId,
      actor,
      action: 'review_item.resolved',
      resourceType: 'review_item',
      resourceId: id,
      changes: { status: { from: item.status, to: decided.status }, action: { from: null, to: action } },
    })
    return present(decided)
  })
}

/** Out of suspense: the payment fee is withheld, the rest is a transfer into the wallet of the currency that came. */
async function credit(deps: Deps, tx: Tx, item: store.ReviewItemRow): Promise<void> {
  const { organizationId, id, currency } = item
  const at = deps.now()
  const gross: Money = { amount: item.amount, currency }
  const { fee, net } = withhold(gross, feeRules(deps.config).payment)
  const reference = `review:${id}`
  await addTransfers(deps, tx, [
    {
      organizationId,
      id: deps.newId(at),
      kind: 'review_credit',
      direction: 'out',
      reference,
      status: 'completed',
      failureReason: null,
      sourceAmount: net.amount,
      sourceCurrency: currency,
      targetAmount: net.amount,
      targetCurrency: currency,
      exchangeRate: '1',
      rateSource: 'same-currency',
      rateAsOf: at,
      quoteId: null,
      sourceOrganizationId: organizationId,
      destinationOrganizationId: organizationId,
      payoutId: null,
      description: item.note,
      createdBy: item.resolvedBy,
      createdAt: at,
      completedAt: at,
    },
  ])
  await post(tx, [
    {
      organizationId,
      key: `review_item:${id}:credited`,
      resourceType: 'review_item',
      resourceId: id,
      reference,
      description: item.note,
      at,
      lines: [
        { currency, debit: 'suspense', credit: 'available', amount: net.amount, kind: 'review_credit' },
        { currency, debit: 'suspense', credit: 'fees', amount: fee.amount, kind: 'payment_fee' },
      ],
    },
  ])
}

/** Tells the rails to send money back, and hears what became of it. The return id makes it happen once. */
export async function sendReturns(deps: Deps, keys: readonly store.ItemKey[]): Promise<void> {
  const items = await Promise.all(keys.map(({ organizationId, id }) => store.findItem(deps.db, organizationId, id)))
  const due = items.filter((item) => item?.status === 'returning').map((item) => item!)
  const outcomes = await inLanes(due, LANES, async ({ rail, id, orderId, amount, currency }) =>
    collectingRail(deps, rail)?.collections.giveBack({
      returnId: id,
      orderId: orderId ?? id,
      amount: { amount, currency },
    }),
  )
  deps.faultPoint('return.sent')
  await deps.db.transaction(async (tx) => {
    const heard = new Map(due.map(({ id }, index) => [id, outcomes[index]]))
    const locked = (await store.lockItems(tx, keys)).filter(({ status }) => status === 'returning')
    const stateOf = ({ id }: store.ReviewItemRow) => heard.get(id)?.state
    await finishReturns(
      deps,
      tx,
      locked
        .filter((item) => stateOf(item) === 'completed')
        .map((item) => ({ ...item, returnReference: referenceOf(heard.get(item.id)) ?? item.returnReference })),
    )
    const at = deps.now()
    await store.updateItems(
      tx,
      locked
        .filter((item) => stateOf(item) !== 'completed')
        .map((item) => ({ ...item, ...afterOutcome(item, heard.get(item.id), at) })),
    )
    await requeueEarlyReturns(tx)
    deps.faultPoint('return.recorded')
  })
}

/** For a notice that was found to be nobody's in the very moment its return was recorded. */
export async function matchLateReturns({ db }: Deps): Promise<number> {
  await db.transaction(requeueEarlyReturns)
  return 0
}

type GivenBack = Awaited<ReturnType<NonNullable<ReturnType<typeof collectingRail>>['collections']['giveBack']>>

/** What a return that is not done yet goes on with; a rail that refuses puts it before a person again. */
function afterOutcome(
  { returnCount }: store.ReviewItemRow,
  outcome: GivenBack | undefined,
  at: Date,
): Partial<store.ReviewItemRow> {
  if (outcome?.state === 'rejected') {
    return {
      status: 'open',
      returnAt: null,
      resolvedBy: null,
      note: `The provider refused to return it: ${outcome.reason}`,
    }
  }
  const waitMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(returnCount, 20), LONGEST_RETRY_MS)
  return {
    returnAt: new Date(at.getTime() + waitMs),
    returnCount: returnCount + 1,
    ...(outcome?.state === 'pending' && { returnReference: outcome.railReference }),
  }
}

/** The rail's name for the return: its notice of it carries the same. */
function referenceOf(outcome: GivenBack | undefined): string | undefined {
  return outcome?.state === 'completed' ? outcome.railReference : undefined
}

function present(row: store.ReviewItemRow): ReviewItem {
  const { id, kind, status, currency, rail, railReference, resourceType, resourceId, note, resolvedBy } = row
  return {
    id,
    kind,
    status,
    amount: toMajor(row.amount, currency),
    currency,
    rail,
    railReference,
    resourceType,
    resourceId,
    note,
    resolvedBy,
    createdAt: row.createdAt.toISOString(),
    resolvedAt: row.resolvedAt?.toISOString() ?? null,
  }
}
