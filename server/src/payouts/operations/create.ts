import { isTransaction, isUnavailable, type Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../errors.ts'
import type { Actor } from '../../http/authentication.ts'
import { lockBalances } from '../../ledger/accounts.ts'
import type { Currency } from '../../money/currencies.ts'
import { useQuotes } from '../../rates/operations.ts'
import { addPayouts } from '../announce.ts'
import { gatherBy } from '../gather.ts'
import { present } from '../present.ts'
import type { NewPayout, Payout } from '../schema.ts'
import * as store from '../store.ts'
import { findCandidates, isAble, needsApproval, rowOf, type Candidate, type Request } from './candidates.ts'

/** Requests written together at most: their commit is paid once, and the wallet is locked for some ten milliseconds. */
const MOST_TOGETHER = 64

export type CreatePayout = (deps: Deps, organizationId: string, actor: Actor, wish: NewPayout) => Promise<Payout>

/**
 * Makes payouts and holds their amounts and fees. An organization's requests that come while one of it is being written
 * are written together in the next transaction, each with its own end: one after the other they would only wait for the
 * wallet's row, a commit each. A request with a transaction of its own (it has an idempotency key, or is a member's act)
 * is written in that.
 */
export function payoutCreation(): CreatePayout {
  const together = gatherBy(MOST_TOGETHER, (organizationId, requests: readonly (Request & { readonly deps: Deps })[]) =>
    createTogether(requests[0]!.deps, organizationId, requests),
  )
  return async (deps, organizationId, actor, wish) => {
    const payout = isTransaction(deps.db)
      ? await createAlone(deps, organizationId, { actor, wish })
      : await together(organizationId, { deps, actor, wish })
    deps.faultPoint('payout.creation_committed')
    return payout
  }
}

async function createTogether(
  deps: Deps,
  organizationId: string,
  requests: readonly Request[],
): Promise<(Payout | Error)[]> {
  const alone = (request: Request) => createAlone(deps, organizationId, request).catch((error: Error) => error)
  if (requests.length === 1) return [await alone(requests[0]!)]
  try {
    const ends = await deps.db.transaction((tx) => addInOrder(deps, tx, organizationId, requests, { isBulk: false }))
    return ends.map((end) => (end instanceof Refusal ? end : present(end)))
  } catch (error) {
    if (error instanceof Refusal || isUnavailable(error)) throw error
    // One of them cannot be written; the others are not to suffer for it.
    const ends: (Payout | Error)[] = []
    for (const request of requests) ends.push(await alone(request))
    return ends
  }
}

/** One payout, in one transaction. Nothing is locked before the posting, so that the wallet is held for its commit only. */
async function createAlone(deps: Deps, organizationId: string, request: Request): Promise<Payout> {
  return deps.db.transaction(async (tx) => {
    const [candidate] = await findCandidates(deps, tx, organizationId, [request])
    if (candidate instanceof Refusal) throw candidate
    const { account, price } = candidate!
    const row = rowOf(deps, organizationId, candidate!, needsApproval(account, price.source))
    if (row.quoteId) await useQuotes(deps, tx, organizationId, [row.quoteId])
    const added = await addPayouts(deps, tx, [row])
    if (added.length === 0) throw taken()
    tx.wake('payouts')
    return present(row)
  })
}

/**
 * Makes what can be made of many requests, in their order; for each its payout or why not. In a bulk the sum of each
 * currency counts for approval too.
 */
export async function addInOrder(
  deps: Deps,
  tx: Tx,
  organizationId: string,
  requests: readonly Request[],
  { isBulk }: { isBulk: boolean },
): Promise<(store.PayoutRow | Refusal)[]> {
  const candidates = await findCandidates(deps, tx, organizationId, requests)
  const decided = await decide(tx, organizationId, candidates, candidates.filter(isAble))
  const funded = decided.filter(isAble)
  const sums = isBulk ? sumsOf(funded) : new Map<Currency, bigint>()
  const rows = new Map(
    funded.map((one) => {
      const { amount, currency } = one.price.source
      const most = sums.get(currency) ?? amount
      return [one, rowOf(deps, organizationId, one, needsApproval(one.account, { amount: most, currency }))] as const
    }),
  )
  const quoteIds = [...rows.values()].flatMap(({ quoteId }) => quoteId ?? [])
  if (quoteIds.length > 0) await useQuotes(deps, tx, organizationId, quoteIds)
  const added = new Set(await addPayouts(deps, tx, [...rows.values()]))
  if (added.size > 0) tx.wake('payouts')
  return decided.map((one) => {
    if (one instanceof Refusal) return one
    const row = rows.get(one)!
    return added.has(row) ? row : taken()
  })
}

/** Decides in order, under the lock of the wallets: a reference is free once, a quote is good once, money is spent once. */
async function decide(
  tx: Tx,
  organizationId: string,
  candidates: readonly (Candidate | Refusal)[],
  able: readonly Candidate[],
): Promise<(Candidate | Refusal)[]> {
  if (able.length === 0) return [...candidates]
  const currencies = [...new Set(able.map(({ price }) => price.source.currency))]
  const balances = await lockBalances(tx, organizationId, currencies, ['available', 'held'])
  const references = await store.findTakenReferences(
    tx,
    organizationId,
    able.map(({ wish }) => wish.reference),
  )
  const quotes = new Set<string>()
  return candidates.map((one) => {
    if (one instanceof Refusal) return one
    const { wish, price } = one
    if (references.has(wish.reference)) return taken()
    if (price.quoteId && quotes.has(price.quoteId)) return new Refusal('quote_used', { param: 'quoteId' })
    const left = (balances.get(price.source.currency) ?? 0n) - price.source.amount - price.fee.amount
    if (left < 0n) return new Refusal('insufficient_funds')
    balances.set(price.source.currency, left)
    references.add(wish.reference)
    if (price.quoteId) quotes.add(price.quoteId)
    return one
  })
}

function taken(): Refusal {
  return new Refusal('reference_taken', { param: 'reference' })
}

function sumsOf(candidates: readonly Candidate[]): Map<Currency, bigint> {
  const sums = new Map<Currency, bigint>()
  for (const { price } of candidates) {
    const { currency, amount } = price.source
    sums.set(currency, (sums.get(currency) ?? 0n) + amount)
  }
  return sums
}
