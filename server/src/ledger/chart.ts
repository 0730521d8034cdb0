/**
 * The chart of accounts. Every organization has each kind once per currency. A balance is credits minus debits, so
 * what the organization owns or owes to itself is positive, and the outside world is negative by what it has given.
 */
export const chart = {
  /** The wallet: what can be spent now. */
  available: { mayOverdraw: false },
  /** Executed payments that have not settled. */
  pending: { mayOverdraw: false },
  /** Reserved for payouts under way, fees included. */
  held: { mayOverdraw: false },
  /** Money that arrived and matches nothing: late, double or wrong. A person decides. */
  suspense: { mayOverdraw: false },
  /** Transfers that have left the wallet and not yet entered another organization's. */
  transit: { mayOverdraw: false },
  /** Fees withheld from the organization. */
  fees: { mayOverdraw: false },
  /** The rails: negative by the money they hold for us, which is where all of it comes from. */
  outside: { mayOverdraw: true },
  /** What conversions have taken in and given out in this currency; each currency balances by itself. */
  exchange: { mayOverdraw: true },
  /** What other organizations have received from or sent to this one. Over all organizations it sums to zero. */
  intercompany: { mayOverdraw: true },
} as const satisfies Record<string, { mayOverdraw: boolean }>

export type AccountKind = keyof typeof chart

/** What a line of the statement is called. */
export const entryKinds = [
  'virtual_account_credit',
  'virtual_account_fee',
  'payment_settlement',
  'payment_fee',
  'payout_hold',
  'payout_release',
  'payout_return',
  'transfer_in',
  'transfer_out',
  'review_credit',
  'sandbox_funding',
] as const
/** Lines that never touch the wallet have names of their own. */
export const innerKinds = [
  'payment_execution',
  'payout_completion',
  'payout_fee',
  'transfer_conversion',
  'transfer_delivery',
  'suspense',
] as const
export type LineKind = (typeof entryKinds)[number] | (typeof innerKinds)[number]
