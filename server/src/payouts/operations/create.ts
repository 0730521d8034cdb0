import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { invalid, Refusal, refusals } from '../../errors.ts'
import { envelope } from '../../events/envelope.ts'
import { makerOf, type Actor } from '../../http/authentication.ts'
import { lockBalances } from '../../ledger/accounts.ts'
import type { Currency } from '../../money/currencies.ts'
import { amountFaults, minor, parseMajor, type Minor } from '../../money/money.ts'
import { shareAccounts, type Beneficiary } from '../../payout-accounts/operations.ts'
import { pricesOf, useQuotes, type Price } from '../../rates/operations.ts'
import { addPayouts } from '../announce.ts'
import { present } from '../present.ts'
import type { PayoutStatus } from '../states.ts'
import type { BulkOutcome, BulkOutcomes, NewPayout, Payout, PayoutDestination } from '../schema.ts'
import * as store from '../store.ts'

/** A payout that may be made, as far as anybody can say before its money is looked at. */
type Candidate = { readonly wish: NewPayout; readonly account: Beneficiary; readonly price: Price }
type Thresholds = Readonly<Partial<Record<Currency, Minor>>>

/** Makes a payout and holds its amount and fee, in one transaction. */
export async function createPayout(deps: Deps, organizationId: string, actor: Actor, wish: NewPayout): Promise<Payout> {
  const payout = await deps.db.transaction(async (tx) => {
    const [candidate] = await findCandidates(deps, tx, organizationId, [wish])
    if (candidate instanceof Refusal) throw candidate
    const isOver = needsApproval(thresholdsOf(candidate!.account), candidate!.price.source)
    const row = rowOf(deps, organizationId, actor, candidate!, isOver)
    if (row.quoteId) await useQuotes(deps, tx, organizationId, [row.quoteId])
    const added = await addPayouts(deps, tx, [row])
    if (added.length === 0) throw new Refusal('reference_taken', { param: 'reference' })
    tx.wake('payouts')
    return present(row)
  })
  deps.faultPoint('payout.creation_committed')
  return payout
}

/** An item of a bulk: what was sent, or why it cannot even be read. */
export type BulkItem = { readonly reference: string | null; readonly wish: NewPayout | Refusal }

/** Makes all payouts that can be made, in their order, in one transaction: one lock, one posting, one announcement. */
export async function createPayouts(
  deps: Deps,
  organizationId: string,
  actor: Actor,
  items: readonly BulkItem[],
): Promise<BulkOutcomes> {
  const results = await deps.db.transaction((tx) => addAll(deps, tx, organizationId, actor, items))
  const outcomes = results.map((result, index) => outcomeOf(index, items[index]!.reference, result))
  const accepted = outcomes.filter(({ payout }) => payout !== null).length
  return { outcomes, accepted, refused: outcomes.length - accepted }
}

async function addAll(
  deps: Deps,
  tx: Tx,
  organizationId: string,
  actor: Actor,
  items: readonly BulkItem[],
): Promise<(store.PayoutRow | Refusal)[]> {
  const wishes = items.flatMap(({ wish }) => (wish instanceof Refusal ? [] : [wish]))
  const candidates = await findCandidates(deps, tx, organizationId, wishes)
  const able = candidates.filter(isAble)
  const decided = await decide(tx, organizationId, candidates, able)
  const funded = decided.filter(isAble)
  const thresholds = funded[0] ? thresholdsOf(funded[0].account) : {}
  const sums = sumsOf(funded)
  const rows = new Map(
    funded.map((one) => {
      const { source } = one.price
      const isOver = needsApproval(thresholds, source) || needsApproval(thresholds, sums.get(source.currency)!)
      return [one, rowOf(deps, organizationId, actor, one, isOver)] as const
    }),
  )
  const quoteIds = [...rows.values()].flatMap(({ quoteId }) => quoteId ?? [])
  if (quoteIds.length > 0) await useQuotes(deps, tx, organizationId, quoteIds)
  const added = new Set(await addPayouts(deps, tx, [...rows.values()]))
  if (added.size > 0) tx.wake('payouts')
  const ends = decided.map((one) => {
    if (one instanceof Refusal) return one
    const row = rows.get(one)!
    return added.has(row) ? row : taken()
  })
  let next = 0
  return items.map(({ wish }) => (wish instanceof Refusal ? wish : ends[next++]!))
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

function isAble<T>(one: T | Refusal): one is T {
  return !(one instanceof Refusal)
}

function taken(): Refusal {
  return new Refusal('reference_taken', { param: 'reference' })
}

/** For each wish its beneficiary and its price, or the first reason why not. */
async function findCandidates(
  deps: Deps,
  tx: Tx,
  organizationId: string,
  wishes: readonly NewPayout[],
): Promise<(Candidate | Refusal)[]> {
  deps.rails.get('payouts')
  const ids = [...new Set(wishes.map(({ payoutAccountId }) => payoutAccountId.toLowerCase()))]
  const accounts = new Map((await shareAccounts(tx, organizationId, ids)).map((account) => [account.id, account]))
  const checked = wishes.map((wish) => check(deps, wish, accounts.get(wish.payoutAccountId.toLowerCase())))
  const able = checked.filter(isAble)
  const prices = await pricesOf(
    deps,
    tx,
    organizationId,
    able.map(({ wish, account, sourceCurrency }) => ({
      kind: 'payout',
      sourceCurrency,
      targetCurrency: account.currency,
      sourceAmount: wish.sourceAmount ?? null,
      targetAmount: wish.targetAmount ?? null,
      quoteId: wish.quoteId ?? null,
    })),
  )
  let next = 0
  return checked.map((one) => {
    if (one instanceof Refusal) return one
    const price = prices[next++]!
    return price instanceof Refusal ? price : { wish: one.wish, account: one.account, price }
  })
}

type Checked = { readonly wish: NewPayout; readonly account: Beneficiary; readonly sourceCurrency: Currency }

function check(deps: Deps, wish: NewPayout, account: Beneficiary | undefined): Checked | Refusal {
  if (!account) return new Refusal('payout_account_not_found', { param: 'payoutAccountId' })
  const sourceCurrency = wish.sourceCurrency ?? account.currency
  const fault =
    amountFault('sourceAmount', wish.sourceAmount, sourceCurrency) ??
    amountFault('targetAmount', wish.targetAmount, account.currency)
  if (fault) return fault
  if (!account.isActive) return new Refusal('payout_account_inactive', { param: 'payoutAccountId' })
  if (!deps.config.currencies.includes(sourceCurrency)) return new Refusal('currency_mismatch')
  if (account.accountType === 'partnerwallet_wallet' && sourceCurrency !== account.currency)
    return new Refusal('currency_mismatch', {
      param: 'sourceCurrency',
      message: `Partner wallets are paid in their own currency: ${account.currency}.`,
    })
  return { wish, account, sourceCurrency }
}

/** The schema could not know the currency: the beneficiary says it. */
function amountFault(param: string, major: number | null | undefined, currency: Currency): Refusal | undefined {
  if (major === undefined || major === null) return undefined
  const read = parseMajor(major, currency)
  return typeof read === 'string' ? invalid({ param, message: amountFaults[read](currency) }) : undefined
}

function thresholdsOf({ approvalThresholds }: Beneficiary): Thresholds {
  return Object.fromEntries(
    Object.entries(approvalThresholds).map(([currency, amount]) => [currency, minor(BigInt(amount))]),
  )
}

function needsApproval(thresholds: Thresholds, { amount, currency }: { amount: bigint; currency: Currency }): boolean {
  const threshold = thresholds[currency]
  return threshold !== undefined && amount >= threshold
}

function sumsOf(candidates: readonly Candidate[]): Map<Currency, { amount: Minor; currency: Currency }> {
  const sums = new Map<Currency, { amount: Minor; currency: Currency }>()
  for (const { price } of candidates) {
    const { currency, amount } = price.source
    sums.set(currency, { currency, amount: minor((sums.get(currency)?.amount ?? 0n) + amount) })
  }
  return sums
}

function rowOf(
  deps: Deps,
  organizationId: string,
  actor: Actor,
  { wish, account, price }: Candidate,
  requiresApproval: boolean,
): store.NewPayoutRow {
  const createdAt = deps.now()
  const status: PayoutStatus = requiresApproval ? 'pending_approval' : 'pending'
  const eventId = deps.newId(createdAt)
  const row = {
    organizationId,
    id: deps.newId(createdAt),
    eventId,
    reference: wish.reference,
    status,
    failureReason: null,
    waitingReason: null,
    payoutAccountId: account.id,
    destination: snapshot(account),
    sourceAmount: price.source.amount,
    sourceCurrency: price.source.currency,
    targetAmount: price.target.amount,
    targetCurrency: price.target.currency,
    exchangeRate: price.exchangeRate,
    rateSource: price.rateSource,
    rateAsOf: price.rateAsOf,
    quoteId: price.quoteId,
    feeAmount: price.fee.amount,
    narration: wish.narration ?? null,
    metadata: wish.metadata ?? null,
    requiresApproval,
    approvedBy: null,
    approvedAt: null,
    providerReference: null,
    returnedAt: null,
    returnReason: null,
    returnTransferId: null,
    createdBy: actor.id,
    madeBy: makerOf(actor),
    createdAt,
    updatedAt: createdAt,
    completedAt: null,
    statusHistory: [{ status, at: createdAt.toISOString() }],
  } satisfies Omit<store.NewPayoutRow, 'payload'>
  const data = present(row)
  return { ...row, payload: envelope({ id: eventId, type: 'payout.created', data, at: createdAt }) }
}

/** The beneficiary as it is now: later changes of it change no payout. */
function snapshot(account: Beneficiary): PayoutDestination {
  const { accountType, accountNumber, accountName, bankCode, bankName } = account
  const { institutionId, routingNumber, currency, country } = account
  return {
    accountType,
    accountNumber,
    accountName,
    bankCode,
    bankName,
    institutionId,
    routingNumber,
    currency,
    country,
  }
}

function outcomeOf(index: number, reference: string | null, result: store.PayoutRow | Refusal): BulkOutcome {
  if (!(result instanceof Refusal)) return { index, reference, payout: present(result), error: null }
  const { param, details } = result.extras
  const [, type] = refusals[result.code]
  return {
    index,
    reference,
    payout: null,
    error: {
      type,
      code: result.code,
      message: result.message,
      ...(param && { param }),
      ...(details && { details: [...details] }),
    },
  }
}
