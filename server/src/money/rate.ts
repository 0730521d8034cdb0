import { decimalsOf, type Currency } from './currencies.ts'
import { formatDecimal, parseDecimal, type Decimal } from './decimal.ts'
import { ceilDiv, halfEvenDiv, minor, type Money } from './money.ts'

/** Target units for one source unit, at most 10 significant digits. Exactly these digits are multiplied. */
export type Rate = { readonly source: Currency; readonly target: Currency; readonly rate: Decimal }

const SIGNIFICANT_DIGITS = 10

/** Reads a rate, rounding it half-even to the digits we keep; undefined when it is no positive number. */
export function parseRate(text: string): Decimal | undefined {
  const decimal = parseDecimal(text)
  return decimal && decimal.digits > 0n ? significant(decimal.digits, decimal.scale) : undefined
}

export function rateText(rate: Decimal): string {
  return formatDecimal(rate)
}

/** What `rate` makes of `parts` per ten thousand of itself: how a spread is taken. */
export function scaleRate(rate: Decimal, parts: bigint): Decimal {
  return significant(rate.digits * parts, rate.scale + 4)
}

/** One rate divided by another: crosses two quotations against the same base. */
export function crossRate(numerator: Decimal, denominator: Decimal): Decimal {
  const extra = 30
  const digits = (numerator.digits * 10n ** BigInt(extra)) / denominator.digits
  return significant(digits, numerator.scale + extra - denominator.scale)
}

/** Given the source, the target rounds half-even. */
export function targetOf(source: Money, rate: Rate): Money {
  const [dividend, divisor] = factors(rate)
  return { amount: minor(halfEvenDiv(source.amount * dividend, divisor)), currency: rate.target }
}

/** Given the target, the source rounds up, so that the target is always paid for. */
export function sourceOf(target: Money, rate: Rate): Money {
  const [dividend, divisor] = factors(rate)
  return { amount: minor(ceilDiv(target.amount * divisor, dividend)), currency: rate.source }
}

/** The fraction that turns source minor units into target minor units. */
function factors({ source, target, rate }: Rate): readonly [bigint, bigint] {
  return [
    rate.digits * 10n ** BigInt(decimalsOf[target]),
    10n ** BigInt(rate.scale) * 10n ** BigInt(decimalsOf[source]),
  ]
}

function significant(digits: bigint, scale: number): Decimal {
  const surplus = digits.toString().length - SIGNIFICANT_DIGITS
  const rounded = surplus > 0 ? halfEvenDiv(digits, 10n ** BigInt(surplus)) : digits
  const exponent = scale - Math.max(surplus, 0)
  const [kept, keptScale] = exponent < 0 ? [rounded * 10n ** BigInt(-exponent), 0] : [rounded, exponent]
  return parseDecimal(formatDecimal({ digits: kept, scale: keptScale }))!
}
