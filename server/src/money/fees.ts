import type { Currency } from './currencies.ts'
import { feeOf, minor, type FeeRule, type Money } from './money.ts'

/** What the organization is charged, per kind of operation. */
export type FeeRules = { readonly virtualAccountCredit: FeeRule; readonly payment: FeeRule; readonly payout: FeeRule }

export type FeeSettings = {
  readonly feeVirtualAccountBasisPoints: number
  readonly feeVirtualAccountCapNgn: number
  readonly feePaymentBasisPoints: number
  readonly feePayoutBasisPoints: number
  readonly feePayoutCapNgn: number
}

const KOBO = 100n

export function feeRules(settings: FeeSettings): FeeRules {
  const naira = (amount: number): Money => ({ amount: minor(BigInt(amount) * KOBO), currency: 'NGN' })
  return {
    virtualAccountCredit: {
      basisPoints: BigInt(settings.feeVirtualAccountBasisPoints),
      cap: naira(settings.feeVirtualAccountCapNgn),
    },
    payment: { basisPoints: BigInt(settings.feePaymentBasisPoints) },
    payout: { basisPoints: BigInt(settings.feePayoutBasisPoints), cap: naira(settings.feePayoutCapNgn) },
  }
}

export type PricedKind = 'payment' | 'payout' | 'transfer'

/** The fee of an operation: a payment's from the target amount, a payout's on top of the source amount, a transfer's none. */
export function feeFor(kind: PricedKind, source: Money, target: Money, rules: FeeRules): Money {
  if (kind === 'payment') return feeOf(target, rules.payment)
  if (kind === 'payout') return feeOf(source, rules.payout)
  return { amount: minor(0n), currency: source.currency }
}

/** The currency a kind's fee is in. */
export function feeCurrency(kind: PricedKind, source: Currency, target: Currency): Currency {
  return kind === 'payment' ? target : source
}
