import type { Db, Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Currency } from '../money/currencies.ts'
import type { Minor } from '../money/money.ts'
import type { PricedKind } from '../money/fees.ts'
import type { RateTable } from './table.ts'

const readRatesSql = sql<{ base: string; currency: string; rate: string; asOf: Date; source: string }>`
  select base, currency, rate::text as rate, as_of as "asOf", source from exchange_rates`

/** What the configured source last said. */
export async function readRates(db: Db): Promise<RateTable | undefined> {
  const rows = await db.many(readRatesSql)
  const [first] = rows
  return (
    first && {
      source: first.source,
      base: first.base,
      asOf: first.asOf,
      rates: Object.fromEntries(rows.map((row) => [row.currency, row.rate])),
    }
  )
}

const replaceRatesSql = sql`
  with kept as (select currency from unnest($2::text[]) currency),
  gone as (delete from exchange_rates where currency not in (select currency from kept))
  insert into exchange_rates (base, currency, rate, as_of, source)
  select $1, currency, rate, $4, $5 from unnest($2::text[], $3::numeric[]) as t (currency, rate)
  on conflict (currency) do update set base = excluded.base, rate = excluded.rate, as_of = excluded.as_of, source = excluded.source
   where exchange_rates.as_of <= excluded.as_of or exchange_rates.source <> excluded.source`

export async function replaceRates(tx: Tx, { base, rates, asOf, source }: RateTable): Promise<void> {
  await tx.many(replaceRatesSql, [base, Object.keys(rates), Object.values(rates), asOf, source])
}

export type QuoteRow = {
  organizationId: string
  id: string
  kind: PricedKind
  sourceAmount: Minor
  sourceCurrency: Currency
  targetAmount: Minor
  targetCurrency: Currency
  exchangeRate: string
  rateSource: string
  rateAsOf: Date
  feeAmount: Minor
  createdAt: Date
  expiresAt: Date
}

const insertQuoteSql = sql`
  insert into quotes (organization_id, id, kind, source_amount, source_currency, target_amount, target_currency,
                      exchange_rate, rate_source, rate_as_of, fee_amount, created_at, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`

export async function insertQuote(tx: Tx, quote: QuoteRow): Promise<void> {
  await tx.many(insertQuoteSql, [
    quote.organizationId,
    quote.id,
    quote.kind,
    quote.sourceAmount,
    quote.sourceCurrency,
    quote.targetAmount,
    quote.targetCurrency,
    quote.exchangeRate,
    quote.rateSource,
    quote.rateAsOf,
    quote.feeAmount,
    quote.createdAt,
    quote.expiresAt,
  ])
}

const lockQuoteSql = sql<QuoteRow & { usedAt: Date | null }>`
  select organization_id as "organizationId", id, kind, source_amount as "sourceAmount", source_currency as "sourceCurrency",
         target_amount as "targetAmount", target_currency as "targetCurrency", exchange_rate::text as "exchangeRate",
         rate_source as "rateSource", rate_as_of as "rateAsOf", fee_amount as "feeAmount",
         created_at as "createdAt", expires_at as "expiresAt", used_at as "usedAt"
    from quotes where organization_id = $1 and id = $2 for update`

export function lockQuote(tx: Tx, organizationId: string, id: string) {
  return tx.maybe(lockQuoteSql, [organizationId, id])
}

export type QuoteKey = { readonly organizationId: string; readonly id: string }

const useQuotesSql = sql`
  update quotes q set used_at = $3
    from unnest($1::uuid[], $2::uuid[]) as k (organization_id, id)
   where (q.organization_id, q.id) = (k.organization_id, k.id)`

export async function markQuotesUsed(tx: Tx, keys: readonly QuoteKey[], at: Date): Promise<void> {
  await tx.many(useQuotesSql, [keys.map(({ organizationId }) => organizationId), keys.map(({ id }) => id), at])
}

const purgeQuotesSql = sql<{ purged: number }>`
  with old as (select organization_id, id from quotes where expires_at < $1 limit $2 for update skip locked),
  gone as (delete from quotes q using old where (q.organization_id, q.id) = (old.organization_id, old.id) returning 1)
  select count(*)::integer as purged from gone`

/** Forgets quotes nobody can use any more. */
export async function purgeQuotes(tx: Tx, before: Date, most: number): Promise<number> {
  return (await tx.one(purgeQuotesSql, [before, most])).purged
}
