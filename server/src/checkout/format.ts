import { decimalsOf } from '../money/currencies.ts'
import type { Money } from '../money/money.ts'
import { html, type Html } from './html.ts'

/** The digits of an amount, grouped, with exactly the currency's decimals. No number type is passed through. */
export function digitsOf({ amount, currency }: Money): { whole: string; fraction: string } {
  const decimals = decimalsOf[currency]
  const text = amount.toString().padStart(decimals + 1, '0')
  const whole = text.slice(0, text.length - decimals).replace(/\B(?=(\d{3})+$)/g, ',')
  return { whole, fraction: decimals === 0 ? '' : `.${text.slice(-decimals)}` }
}

/** `NGN 15,000.00`. The code, not a sign: a dollar sign means four of our currencies' neighbours. */
export function amountText(money: Money): string {
  const { whole, fraction } = digitsOf(money)
  return `${money.currency}\u00a0${whole}${fraction}`
}

/** The same without grouping, for pasting into a bank's form. */
export function plainAmount(money: Money): string {
  const { whole, fraction } = digitsOf(money)
  return whole.replaceAll(',', '') + fraction
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** The time left as the page first shows it; its script goes on from there, with the same words. */
export function timeLeft(leftMs: number): string {
  if (leftMs <= 0) return 'none'
  const days = Math.floor(leftMs / DAY_MS)
  const hours = Math.floor((leftMs % DAY_MS) / HOUR_MS)
  const minutes = Math.floor((leftMs % HOUR_MS) / MINUTE_MS)
  const seconds = Math.floor((leftMs % MINUTE_MS) / 1000)
  if (days > 0) return hours > 0 ? `${counted(days, 'day')} ${counted(hours, 'hour')}` : counted(days, 'day')
  if (hours > 0) return `${counted(hours, 'hour')} ${minutes} min`
  return `${minutes}:${String(seconds).padStart(2, '0')} min`
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** An instant in UTC; the script rewrites it in the payer's own zone. */
export function instant(at: Date): Html {
  const text = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(at)
  return html`<time datetime="${at.toISOString()}" data-local>${text} UTC</time>`
}

export function countdown(until: Date, now: Date): Html {
  return html`<time datetime="${until.toISOString()}" data-countdown
    >${timeLeft(until.getTime() - now.getTime())}</time
  >`
}

/** A phone number with only its ends readable: enough to know which phone to take in hand. */
export function maskedPhone(phone: string): string {
  return phone.length > 8 ? `${phone.slice(0, 4)} ••• ${phone.slice(-4)}` : phone
}

/** An account number in groups, so that it can be compared by eye. Copying takes it whole. */
export function groupedNumber(number: string): string {
  return number.length === 10 ? `${number.slice(0, 3)} ${number.slice(3, 6)} ${number.slice(6)}` : number
}
