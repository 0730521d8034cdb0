import type { Deps } from '../deps.ts'
import { invalid, Refusal } from '../errors.ts'
import type { Actor } from '../http/authentication.ts'
import { post } from '../ledger/post.ts'
import { findOpenOrganization } from '../organizations/operations.ts'
import { priceOf } from '../rates/operations.ts'
import { addTransfers, moveTransfers } from './announce.ts'
import { arrivalPosting, comebackPosting, conversionPosting, deliveryPosting, departurePosting } from './postings.ts'
import { present } from './present.ts'
import type { NewTransfer, Transfer, TransferQuery } from './schema.ts'
import * as store from './store.ts'

/** Moves money between one's own wallets at once, or sets it on its way to another organization's. */
export async function createTransfer(
  deps: Deps,
  organizationId: string,
  actor: Actor,
  wish: NewTransfer,
): Promise<Transfer> {
  const destinationId = wish.destinationOrganizationId?.toLowerCase() ?? organizationId
  if (wish.destinationOrganizationId && destinationId === organizationId) {
    throw invalid({
      param: 'destinationOrganizationId',
      message: 'is your own organization; leave it out to convert between your wallets',
    })
  }
  const isOwn = destinationId === organizationId
  if (isOwn && (wish.targetCurrency ?? wish.sourceCurrency) === wish.sourceCurrency) {
    throw invalid({ param: 'targetCurrency', message: 'must differ from sourceCurrency between your own wallets' })
  }
  const transfer = await deps.db.transaction(async (tx) => {
    if (!isOwn && !(await findOpenOrganization(tx, destinationId))) {
      throw new Refusal('destination_not_found', { param: 'destinationOrganizationId' })
    }
    const { source, target, exchangeRate, rateSource, rateAsOf, quoteId } = await priceOf(deps, tx, organizationId, {
      ...wish,
      kind: 'transfer',
    })
    const createdAt = deps.now()
    const row: store.TransferRow = {
      organizationId,
      id: deps.newId(createdAt),
      direction: 'out',
      reference: wish.reference,
      failureReason: null,
      createdAt,
      ...(isOwn
        ? { kind: 'conversion', status: 'completed', completedAt: createdAt }
        : { kind: 'organization', status: 'pending', completedAt: null }),
      sourceAmount: source.amount,
      sourceCurrency: source.currency,
      targetAmount: target.amount,
      targetCurrency: target.currency,
      exchangeRate,
      rateSource,
      rateAsOf,
      quoteId,
      sourceOrganizationId: organizationId,
      destinationOrganizationId: destinationId,
      payoutId: null,
      description: wish.description ?? null,
      createdBy: actor.id,
    }
    await addTransfers(deps, tx, [row])
    deps.faultPoint('transfer.created')
    await post(tx, [isOwn ? conversionPosting(row) : departurePosting(row)])
    deps.faultPoint('transfer.departed')
    if (!isOwn) tx.wake('transfers')
    return present(row)
  })
  deps.faultPoint('transfer.departure_committed')
  return transfer
}

export async function listTransfers(deps: Deps, organizationId: string, query: TransferQuery) {
  const { items, pagination } = await store.listTransfers(deps.db, organizationId, query)
  return { transfers: items.map(present), pagination }
}

export async function getTransfer(deps: Deps, organizationId: string, id: string): Promise<Transfer> {
  const row = await store.findTransfer(deps.db, organizationId, id)
  if (!row) throw new Refusal('not_found')
  return present(row)
}

/** Brings transfers on their way into their destinations, or back where that cannot be. Answers which were moved. */
export async function deliverTransfers(deps: Deps, keys: readonly store.TransferKey[]): Promise<store.TransferRow[]> {
  const delivered = await deps.db.transaction(async (tx) => {
    const waiting = await store.lockPending(tx, keys)
    deps.faultPoint('transfer.delivery_locked')
    const at = deps.now()
    const moved = await moveTransfers(
      deps,
      tx,
      waiting.map(({ organizationId, id, mayEnter }) => ({
        organizationId,
        id,
        from: 'pending' as const,
        at,
        ...(mayEnter
          ? { to: 'completed' as const, failureReason: null }
          : { to: 'failed' as const, failureReason: 'destination_closed' }),
      })),
    )
    const [entered, cameBack] = [
      moved.filter((row) => row.status === 'completed'),
      moved.filter((row) => row.status === 'failed'),
    ]
    const arrivals = entered.map((row) => ({
      ...row,
      organizationId: row.destinationOrganizationId,
      direction: 'in' as const,
      quoteId: null,
      createdBy: null,
    }))
    if (arrivals.length > 0) await addTransfers(deps, tx, arrivals)
    deps.faultPoint('transfer.delivery_announced')
    await post(tx, [
      ...entered.map(deliveryPosting),
      ...arrivals.map(arrivalPosting),
      ...cameBack.map((row) => ({ ...comebackPosting(row), at })),
    ])
    deps.faultPoint('transfer.delivered')
    return moved
  })
  deps.faultPoint('transfer.delivery_committed')
  return delivered
}
