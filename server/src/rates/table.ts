import { isCurrency, type Currency } from '../money/currencies.ts'
import { crossRate, parseRate, scaleRate, type Rate } from '../money/rate.ts'

/** Rates of one source at one moment: units of each currency for one unit of the base. */
export type RateTable = {
  readonly source: string
  readonly base: string
  readonly asOf: Date
  readonly rates: Readonly<Record<string, string>>
}

const PARTS = 10_000n
const ONE = parseRate('1')!

/** The rate between two currencies, less the spread; undefined when the table lacks one of them. */
export function rateFrom(
  table: RateTable,
  source: Currency,
  target: Currency,
  spreadBasisPoints: number,
): Rate | undefined {
  if (source === target) return { source, target, rate: ONE }
  const [perSource, perTarget] = [table.rates[source], table.rates[target]].map((text) =>
    text === undefined ? undefined : parseRate(text),
  )
  if (!perSource || !perTarget) return undefined
  return { source, target, rate: scaleRate(crossRate(perTarget, perSource), PARTS - BigInt(spreadBasisPoints)) }
}

/** Reads what a file or an HTTP source says: `{ "base": "USD", "asOf": "…", "rates": { "NGN": 1500.25 } }`. */
export function parseTable(text: string, source: string): RateTable {
  const body = JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? (context?.source ?? String(value)) : value,
  ) as { base?: unknown; asOf?: unknown; rates?: unknown }
  const asOf = new Date(String(body.asOf))
  if (typeof body.base !== 'string' || !isCurrency(body.base)) throw new Error('"base" must be a supported currency')
  if (Number.isNaN(asOf.getTime())) throw new Error('"asOf" must be a date-time')
  if (typeof body.rates !== 'object' || body.rates === null) throw new Error('"rates" must be an object')
  const rates: Record<string, string> = { [body.base]: '1' }
  for (const [currency, value] of Object.entries(body.rates)) {
    if (!isCurrency(currency)) continue
    if (typeof value !== 'string' || !parseRate(value))
      throw new Error(`the rate of ${currency} must be a positive number`)
    rates[currency] = value
  }
  return { source, base: body.base, asOf, rates }
}
