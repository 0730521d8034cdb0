import { isTransaction, isUnavailable, sqlState, type Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../errors.ts'
import type { Actor } from '../../http/authentication.ts'
import { lockBalances } from '../../ledger/accounts.ts'
import type { Currency } from '../../money/currencies.ts'
import { useQuotes } from '../../rates/operations.ts'
import { addPayouts } from '../announce.ts'
import { gather } from '../../gather.ts'
import { present } from '../present.ts'
import type { NewPayout, Payout } from '../schema.ts'
import * as store from '../store.ts'
import { findCandidates, isAble, needsApproval, rowOf, type Candidate, type Request } from './candidates.ts'

/** Requests written together at most: they pay one commit, and wallets are locked for some ten milliseconds. */
const MOST_TOGETHER = 64
/** Transactions of this process that make payouts at once; a wallet somebody keeps locked holds up one of them. */
const LANES = 4
const LOCK_NOT_AVAILABLE = '55P03'

export type CreatePayout = (deps: Deps, organizationId: string, actor: Actor, wish: NewPayout) => Promise<Payout>

/**
 * Makes payouts and holds their amounts and fees. Requests that come while others are being written are written together
 * in the next transaction, each with its own end. One by one, those of a busy wallet would wait for its row, a commit
 * each, and those of many wallets would pay five round trips each. A request with an idempotency key has a transaction
 * of its own, which also keeps its answer, and is written in that.
 */
export function payoutCreation(): CreatePayout {
  const together = gather(
    { most: MOST_TOGETHER, lanes: LANES },
    (requests: readonly (Request & { readonly deps: Deps })[]) => createTogether(requests[0]!.deps, requests),
  )
  return async (deps, organizationId, actor, wish) => {
    const request = { organizationId, actor, wish }
    const payout = isTransaction(deps.db)
      ? await createAlone(deps, request)
      : await together(organizationId, { deps, ...request })
    deps.faultPoint('payout.creation_committed')
    return payout
  }
}

async function createTogether(deps: Deps, requests: readonly Request[]): Promise<(Payout | Error)[]> {
  const alone = (request: Request) => createAlone(deps, request).catch((error: Error) => error)
  if (requests.length === 1) return [await alone(requests[0]!)]
  try {
    const ends = await deps.db.transaction((tx) => addInOrder(deps, tx, requests, { isBulk: false }))
    return ends.map((end) => (end instanceof Refusal ? end : present(end)))
  } catch (error) {
    const isLocked = sqlState(error) === LOCK_NOT_AVAILABLE
    if (error instanceof Refusal || (isUnavailable(error) && !isLocked)) throw error
    // One of them cannot be written, or waited for its wallet in vain; the others are not to suffer for it.
    return Promise.all(requests.map(alone))
  }
}

/** One payout, in one transaction. Nothing is locked before the posting, so that the wallet is held for its commit only. */
async function createAlone(deps: Deps, request: Request): Promise<Payout> {
  return deps.db.transaction(async (tx) => {
    const [candidate] = await findCandidates(deps, tx, [request])
    if (candidate instanceof Refusal) throw candidate
    const { account, price } = candidate!
    const row = rowOf(deps, candidate!, needsApproval(account, price.source))
    await useQuotes(deps, tx, quotesOf([row]))
    const added = await addPayouts(deps, tx, [row])
    if (added.length === 0) throw taken()
    tx.wake('payouts')
    return present(row)
  })
}

/**
 * Makes what can be made of many requests, in their order; for each its payout or why not. In a bulk, which is one
 * organization's, the sum of each currency counts for approval too.
 */
export async function addInOrder(
  deps: Deps,
  tx: Tx,
  requests: readonly Request[],
  { isBulk }: { isBulk: boolean },
): Promise<(store.PayoutRow | Refusal)[]> {
  const candidates = await findCandidates(deps, tx, requests)
  const decided = await decide(tx, candidates, candidates.filter(isAble))
  const funded = decided.filter(isAble)
  const sums = isBulk ? sumsOf(funded) : new Map<Currency, bigint>()
  const rows = new Map(
    funded.map((one) => {
      const { amount, currency } = one.price.source
      const most = sums.get(currency) ?? amount
      return [one, rowOf(deps, one, needsApproval(one.account, { amount: most, currency }))] as const
    }),
  )
  await useQuotes(deps, tx, quotesOf([...rows.values()]))
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
  candidates: readonly (Candidate | Refusal)[],
  able: readonly Candidate[],
): Promise<(Candidate | Refusal)[]> {
  if (able.length === 0) return [...candidates]
  const wallets = new Map(able.map((one) => [walletOf(one), one]))
  const locked = await lockBalances(
    tx,
    [...wallets.values()].map(({ organizationId, price }) => ({ organizationId, currency: price.source.currency })),
    ['available', 'held'],
  )
  const balances = new Map(locked.map((one) => [`${one.organizationId}/${one.currency}`, one.balance]))
  const found = await store.findTakenReferences(
    tx,
    able.map(({ organizationId, wish }) => ({ organizationId, reference: wish.reference })),
  )
  const references = new Set(found.map((one) => `${one.organizationId}/${one.reference}`))
  const quotes = new Set<string>()
  return candidates.map((one) => {
    if (one instanceof Refusal) return one
    const { organizationId, wish, price } = one
    const reference = `${organizationId}/${wish.reference}`
    if (references.has(reference)) return taken()
    if (price.quoteId && quotes.has(price.quoteId)) return new Refusal('quote_used', { param: 'quoteId' })
    const left = (balances.get(walletOf(one)) ?? 0n) - price.source.amount - price.fee.amount
    if (left < 0n) return new Refusal('insufficient_funds')
    balances.set(walletOf(one), left)
    references.add(reference)
    if (price.quoteId) quotes.add(price.quoteId)
    return one
  })
}

function walletOf({ organizationId, price }: Candidate): string {
  return `${organizationId}/${price.source.currency}`
}

function quotesOf(rows: readonly store.NewPayoutRow[]): { organizationId: string; id: string }[] {
  return rows.flatMap(({ organizationId, quoteId }) => (quoteId ? [{ organizationId, id: quoteId }] : []))
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
