import type { Db, Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import type { Currency } from '../money/currencies.ts'
import { feeCurrency, feeFor, feeRules, type PricedKind } from '../money/fees.ts'
import { MAX_OPERATION_MINOR, parseMajor, toMajor, type Minor, type Money } from '../money/money.ts'
import { parseRate, rateText, sourceOf, targetOf, type Rate } from '../money/rate.ts'
import { builtInTable } from './built-in.ts'
import type { NewQuote, Quote, RateQuery } from './schema.ts'
import * as store from './store.ts'
import { rateFrom, type RateTable } from './table.ts'

/** How long a quote holds its rate. */
const QUOTE_LIFE_MS = 60_000
/** A quote that can no longer be used is kept this long, for questions about it. */
const QUOTE_KEPT_MS = 31 * 24 * 60 * 60 * 1000

/** Both amounts, the rate between them, where it came from, and the fee: everything fixed when an operation is created. */
export type Price = {
  readonly source: Money
  readonly target: Money
  readonly fee: Money
  readonly exchangeRate: string
  readonly rateSource: string
  readonly rateAsOf: Date
  readonly quoteId: string | null
}

/** What an operation says of its price; exactly one of the amounts. */
export type PriceWish = {
  readonly kind: PricedKind
  readonly sourceCurrency: Currency
  readonly targetCurrency?: Currency | null
  readonly sourceAmount?: number | null
  readonly targetAmount?: number | null
  readonly quoteId?: string | null
}

export async function listRates(deps: Deps, query: RateQuery) {
  const table = await usableTable(deps, deps.db)
  if (!table) return []
  const sources = query.source ? [query.source] : deps.config.currencies
  const targets = query.target ? [query.target] : deps.config.currencies
  return sources.flatMap((source) =>
    targets.flatMap((target) => {
      const found = source === target ? undefined : rateFrom(table, source, target, deps.config.ratesSpreadBasisPoints)
      return found ? [{ source, target, rate: Number(rateText(found.rate)), asOf: table.asOf.toISOString() }] : []
    }),
  )
}

export async function createQuote(deps: Deps, organizationId: string, wish: NewQuote): Promise<Quote> {
  return deps.db.transaction(async (tx) => {
    const price = await priceAtRate(deps, tableOf(deps, tx), wish)
    const createdAt = deps.now()
    const { source, target, fee, exchangeRate, rateSource, rateAsOf } = price
    const quote: store.QuoteRow = {
      organizationId,
      id: deps.newId(createdAt),
      kind: wish.kind,
      createdAt,
      expiresAt: new Date(createdAt.getTime() + QUOTE_LIFE_MS),
      sourceAmount: source.amount,
      sourceCurrency: source.currency,
      targetAmount: target.amount,
      targetCurrency: target.currency,
      feeAmount: fee.amount,
      exchangeRate,
      rateSource,
      rateAsOf,
    }
    await store.insertQuote(tx, quote)
    return present(quote)
  })
}

/** The price of an operation about to be created: at its quote, which is used up by it, or at the current rate. */
export async function priceOf(deps: Deps, tx: Tx, organizationId: string, wish: PriceWish): Promise<Price> {
  const price = wish.quoteId
    ? await quotedPrice(deps, tx, organizationId, wish, wish.quoteId)
    : await priceAtRate(deps, tableOf(deps, tx), wish)
  if (price.quoteId) await useQuotes(deps, tx, [{ organizationId, id: price.quoteId }])
  return price
}

/**
 * The prices of many operations about to be created. The rates are read once; quotes are locked and not used up yet:
 * the caller does that for those it goes on with. A refusal stands where there is no price.
 */
export async function pricesOf(
  deps: Deps,
  tx: Tx,
  wishes: readonly (PriceWish & { readonly organizationId: string })[],
): Promise<(Price | Refusal)[]> {
  const table = tableOf(deps, tx)
  const prices: (Price | Refusal)[] = []
  for (const wish of wishes) {
    const pricing = wish.quoteId
      ? quotedPrice(deps, tx, wish.organizationId, wish, wish.quoteId)
      : priceAtRate(deps, table, wish)
    prices.push(
      await pricing.catch((error: unknown) => {
        if (error instanceof Refusal) return error
        throw error
      }),
    )
  }
  return prices
}

/** Uses quotes up: each is good for one operation. */
export async function useQuotes(deps: Deps, tx: Tx, keys: readonly store.QuoteKey[]): Promise<void> {
  if (keys.length > 0) await store.markQuotesUsed(tx, keys, deps.now())
}

/** A price as payments and payouts keep it. */
export function pricedColumns(price: Price) {
  return {
    sourceAmount: price.source.amount,
    sourceCurrency: price.source.currency,
    targetAmount: price.target.amount,
    targetCurrency: price.target.currency,
    exchangeRate: price.exchangeRate,
    rateSource: price.rateSource,
    rateAsOf: price.rateAsOf,
    quoteId: price.quoteId,
    feeAmount: price.fee.amount,
  }
}

async function quotedPrice(
  deps: Deps,
  tx: Tx,
  organizationId: string,
  wish: PriceWish,
  quoteId: string,
): Promise<Price> {
  const quote = await store.lockQuote(tx, organizationId, quoteId)
  if (!quote || quote.kind !== wish.kind) throw new Refusal('quote_not_found', { param: 'quoteId' })
  if (quote.usedAt) throw new Refusal('quote_used', { param: 'quoteId' })
  if (quote.expiresAt <= deps.now()) throw new Refusal('quote_expired', { param: 'quoteId' })
  const { sourceCurrency, targetCurrency } = quote
  const isSameAmount = (major: number | null | undefined, amount: Minor, currency: Currency) =>
    major === undefined || major === null || parseMajor(major, currency) === amount
  const fits =
    sourceCurrency === wish.sourceCurrency &&
    targetCurrency === (wish.targetCurrency ?? wish.sourceCurrency) &&
    isSameAmount(wish.sourceAmount, quote.sourceAmount, sourceCurrency) &&
    isSameAmount(wish.targetAmount, quote.targetAmount, targetCurrency)
  if (!fits) throw new Refusal('quote_mismatch', { param: 'quoteId' })
  const { exchangeRate, rateSource, rateAsOf } = quote
  return {
    source: { amount: quote.sourceAmount, currency: sourceCurrency },
    target: { amount: quote.targetAmount, currency: targetCurrency },
    fee: { amount: quote.feeAmount, currency: feeCurrency(quote.kind, sourceCurrency, targetCurrency) },
    exchangeRate,
    rateSource,
    rateAsOf,
    quoteId,
  }
}

async function priceAtRate(deps: Deps, tableNow: TableNow, wish: PriceWish): Promise<Price> {
  const { rate, table } = await rateFor(deps, tableNow, wish.sourceCurrency, wish.targetCurrency ?? wish.sourceCurrency)
  const { source, target } = bothAmounts(wish, rate)
  if (source.amount === 0n || target.amount === 0n) throw new Refusal('amount_too_small')
  if (source.amount > MAX_OPERATION_MINOR || target.amount > MAX_OPERATION_MINOR)
    throw new Refusal('amount_out_of_range')
  const fee = feeFor(wish.kind, source, target, feeRules(deps.config))
  return {
    source,
    target,
    fee,
    exchangeRate: rateText(rate.rate),
    rateSource: table.source,
    rateAsOf: table.asOf,
    quoteId: null,
  }
}

function bothAmounts({ sourceAmount, targetAmount }: PriceWish, rate: Rate): { source: Money; target: Money } {
  if (typeof sourceAmount === 'number') {
    const source: Money = { amount: exact(sourceAmount, rate.source), currency: rate.source }
    return { source, target: targetOf(source, rate) }
  }
  const target: Money = { amount: exact(targetAmount ?? 0, rate.target), currency: rate.target }
  return { source: sourceOf(target, rate), target }
}

/** The schema has refused what is no amount of this currency. */
function exact(major: number, currency: Currency): Minor {
  const amount = parseMajor(major, currency)
  if (typeof amount === 'string') throw new Error(`an amount passed its schema and is ${amount}`)
  return amount
}

type TableNow = () => Promise<RateTable | undefined>

/** The usable rates, read at the first need and then kept. */
function tableOf(deps: Deps, db: Db): TableNow {
  let table: Promise<RateTable | undefined> | undefined
  return () => (table ??= usableTable(deps, db))
}

async function rateFor(
  deps: Deps,
  tableNow: TableNow,
  source: Currency,
  target: Currency,
): Promise<{ rate: Rate; table: Pick<RateTable, 'source' | 'asOf'> }> {
  if (source === target)
    return { rate: { source, target, rate: parseRate('1')! }, table: { source: 'same-currency', asOf: deps.now() } }
  const table = await tableNow()
  const rate = table && rateFrom(table, source, target, deps.config.ratesSpreadBasisPoints)
  if (!table || !rate) throw new Refusal('rate_unavailable')
  return { rate, table }
}

/** The rates that may be used now: none are better than old ones. */
async function usableTable(deps: Deps, db: Db): Promise<RateTable | undefined> {
  const { ratesUrl, ratesFile, env, ratesMaxAgeSeconds } = deps.config
  if (!ratesUrl && !ratesFile) return env === 'production' ? undefined : builtInTable(deps.now())
  const table = await store.readRates(db)
  const oldest = deps.now().getTime() - ratesMaxAgeSeconds * 1000
  return table && table.asOf.getTime() >= oldest ? table : undefined
}

function present(quote: store.QuoteRow): Quote {
  const { id, kind, sourceCurrency, targetCurrency } = quote
  return {
    id,
    kind,
    sourceCurrency,
    targetCurrency,
    sourceAmount: toMajor(quote.sourceAmount, sourceCurrency),
    targetAmount: toMajor(quote.targetAmount, targetCurrency),
    exchangeRate: Number(quote.exchangeRate),
    feeAmount: toMajor(quote.feeAmount, feeCurrency(kind, sourceCurrency, targetCurrency)),
    expiresAt: quote.expiresAt.toISOString(),
  }
}

/** Forgets quotes nobody will ask about any more. */
export function forgetQuotes(deps: Deps, most: number): Promise<number> {
  const before = new Date(deps.now().getTime() - QUOTE_KEPT_MS)
  return deps.db.transaction((tx) => store.purgeQuotes(tx, before, most))
}
