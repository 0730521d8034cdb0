import { isCurrency } from '../../money/currencies.ts'
import { minor } from '../../money/money.ts'
import type { Notice } from '../rail.ts'

/** Notices are kept as JSON: amounts in minor units, as text, so that nothing is rounded on the way. */
export function writeNotice(notice: Notice): string {
  return JSON.stringify(notice, (_key, value: unknown) => {
    if (typeof value === 'bigint') return value.toString()
    return typeof value === 'string' ? storable(value) : value
  })
}

/** What a provider wrote without the characters no database takes. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

export function readStoredNotice(stored: unknown): Notice {
  const notice = stored as Record<string, unknown> & { amount?: { amount: string; currency: string } | null }
  const { amount } = notice
  if (!amount) return notice as unknown as Notice
  if (!isCurrency(amount.currency)) throw new Error(`a stored notice names the currency ${amount.currency}`)
  return { ...notice, amount: { amount: minor(BigInt(amount.amount)), currency: amount.currency } } as unknown as Notice
}
