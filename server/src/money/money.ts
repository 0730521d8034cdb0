import assert from 'node:assert/strict'
import { decimalsOf, type Currency } from './currencies.ts'
import { formatDecimal, parseDecimal } from './decimal.ts'

/** A whole number of the currency's smallest unit. Only this folder can make one. */
export type Minor = bigint & { readonly minor: unique symbol }
export type Money = { readonly amount: Minor; readonly currency: Currency }

/** The most one operation may move, in minor units: every amount stays exact as a JSON number, with room to add. */
export const MAX_OPERATION_MINOR = 9_007_199_254_740n

export type AmountFault = 'not_a_number' | 'not_positive' | 'too_many_decimals' | 'too_large'

/** What the caller is told about each fault of an amount. */
export const amountFaults: Record<AmountFault, (currency: Currency) => string> = {
  not_a_number: () => 'must be a number',
  not_positive: () => 'must be greater than 0',
  too_many_decimals: (currency) => `must have at most ${decimalsOf[currency]} decimals in ${currency}`,
  too_large: (currency) => `must not exceed ${toMajorText(MAX_OPERATION_MINOR as Minor, currency)} ${currency}`,
}

/** Counts minor units. For amounts that come out of our own books; nothing is checked but the type. */
export function minor(amount: bigint): Minor {
  return amount as Minor
}

/** Reads an amount in major units. A number arrives exact: the JSON reader refuses those that are not. */
export function parseMajor(major: number, currency: Currency): Minor | AmountFault {
  const decimal = parseDecimal(String(major))
  if (!decimal) return Number.isFinite(major) ? 'too_large' : 'not_a_number'
  if (decimal.digits <= 0n) return 'not_positive'
  const decimals = decimalsOf[currency]
  if (decimal.scale > decimals) return 'too_many_decimals'
  const amount = decimal.digits * 10n ** BigInt(decimals - decimal.scale)
  return amount > MAX_OPERATION_MINOR ? 'too_large' : minor(amount)
}

/** The amount in major units as plain text. */
export function toMajorText(amount: Minor, currency: Currency): string {
  return formatDecimal({ digits: amount, scale: decimalsOf[currency] })
}

/** The amount in major units, for JSON. */
export function toMajor(amount: Minor, currency: Currency): number {
  return Number(toMajorText(amount, currency))
}

/** A share of the gross in parts per ten thousand, rounded up, and at most `cap` where the currency has one. */
export type FeeRule = { readonly basisPoints: bigint; readonly cap?: Money }

/** Splits gross into fee and net. The two always sum to gross; the fee rounds up, and never passes its cap. */
export function withhold(gross: Money, rule: FeeRule): { fee: Money; net: Money } {
  const fee = feeOf(gross, rule)
  const net = gross.amount - fee.amount
  assert(net >= 0n)
  return { fee, net: { amount: minor(net), currency: gross.currency } }
}

/** The fee of an amount: rounded up, never past its cap, never more than the amount. */
export function feeOf(gross: Money, rule: FeeRule): Money {
  const raw = ceilDiv(gross.amount * rule.basisPoints, 10_000n)
  const capped = rule.cap?.currency === gross.currency && raw > rule.cap.amount ? rule.cap.amount : raw
  return { amount: minor(capped > gross.amount ? gross.amount : capped), currency: gross.currency }
}

export function ceilDiv(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor
}

/** Division that rounds to the nearest whole, halves to the even one. */
export function halfEvenDiv(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  const twice = (dividend % divisor) * 2n
  if (twice < divisor || (twice === divisor && quotient % 2n === 0n)) return quotient
  return quotient + 1n
}
