/** ISO 4217 decimals of every currency Kolo knows. A deployment may switch some off (KOLO_CURRENCIES), never add one here. */
export const decimalsOf = {
  NGN: 2,
  GHS: 2,
  KES: 2,
  UGX: 0,
  TZS: 2,
  RWF: 0,
  ZMW: 2,
  ZAR: 2,
  XOF: 0,
  XAF: 0,
  USD: 2,
  GBP: 2,
  EUR: 2,
} as const

export type Currency = keyof typeof decimalsOf

export const currencies = Object.keys(decimalsOf) as readonly Currency[]

export function isCurrency(text: string): text is Currency {
  return Object.hasOwn(decimalsOf, text)
}
