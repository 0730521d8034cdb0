import type { FailureReason } from '../payments/states.ts'
import type { CollectionType } from '../rails/rail.ts'

/** How each way to pay is offered. */
export const methodWords: Readonly<
  Record<CollectionType, { readonly hint: string; readonly about: string; readonly button: string }>
> = {
  bank_transfer: {
    hint: 'Send it from your bank app',
    about: 'You get an account number made for this payment alone. Send the exact amount to it.',
    button: 'Show account details',
  },
  pay_by_bank: {
    hint: 'Approve it at your bank',
    about: 'You go to your bank’s own page to approve, and come back here.',
    button: 'Continue to your bank',
  },
  mobile_money: {
    hint: 'Approve it on your phone',
    about: 'A prompt appears on your phone. You approve it there with your PIN.',
    button: 'Send the prompt',
  },
  card: {
    hint: 'Debit or credit card',
    about: 'You enter the card at the provider’s own page. It is never seen here.',
    button: 'Continue to card entry',
  },
}

/** Why a payment, or one try of it, did not work. */
const reasons: Readonly<Record<FailureReason, string>> = {
  payment_expired: 'The time to pay is over.',
  too_many_attempts: 'It was declined too many times.',
  declined_by_provider: 'The provider declined it.',
  declined_by_payer: 'It was declined by you, or in your name.',
  insufficient_funds: 'There was not enough money in the account.',
  account_blocked: 'The account is blocked.',
  provider_silent: 'The provider did not answer.',
}

/** A provider's own words are not shown: they may say more than the payer should read. */
export function reasonWords(reason: string | null): string {
  return reason !== null && Object.hasOwn(reasons, reason) ? reasons[reason as FailureReason] : ''
}

/** What dials a country, for the example beside the phone field. */
const phoneExamples: Readonly<Record<string, string>> = {
  NG: '+234 803 123 4567',
  GH: '+233 24 123 4567',
  KE: '+254 712 345 678',
  UG: '+256 772 123 456',
  TZ: '+255 754 123 456',
  RW: '+250 788 123 456',
  ZM: '+260 97 123 4567',
  ZA: '+27 82 123 4567',
  SN: '+221 77 123 45 67',
  CI: '+225 07 12 34 56 78',
  CM: '+237 6 71 23 45 67',
}

export function phoneExample(country: string): string {
  return phoneExamples[country] ?? 'with its country code, beginning with +'
}
