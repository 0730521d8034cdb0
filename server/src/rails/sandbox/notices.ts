import { isCurrency } from '../../money/currencies.ts'
import { parseMajor, type Money } from '../../money/money.ts'
import type { Notice, NoticeReading, Rail } from '../rail.ts'
import { isSigned } from './client.ts'

/** What the provider writes into a notice. Amounts are in major units with their currency. */
type Wire = {
  readonly id: string
  readonly event: string
  readonly amount?: { readonly value: number; readonly currency: string }
  readonly [field: string]: unknown
}

/** Total: a word that is not here is not understood, and fails loudly. */
const collectionStates: Readonly<Record<string, (Notice & { kind: 'collection' })['state']>> = {
  'collection.authorising': 'authorising',
  'collection.accepted': 'accepted',
  'collection.received': 'received',
  'collection.settled': 'settled',
  'collection.declined': 'declined',
  'collection.rejected': 'rejected',
  'collection.returned': 'returned',
}
const payoutStates: Readonly<Record<string, (Notice & { kind: 'payout' })['state']>> = {
  'payout.completed': 'completed',
  'payout.failed': 'failed',
  'payout.returned': 'returned',
}

export function readNotice(secret: string): Rail['readNotice'] {
  return (headers, body): NoticeReading => {
    if (!isSigned(secret, headers, body)) return { state: 'wrong_signature' }
    return readBody(body.toString('utf8'), headers['x-provider-signature'])
  }
}

/** Reads what the provider says of one fact; `name` is what it goes by where it cannot be read. */
export function readBody(body: string, name: string | undefined): NoticeReading {
  let wire: Wire | undefined
  try {
    wire = JSON.parse(body) as Wire
    return { state: 'read', notice: noticeOf(wire) }
  } catch (error) {
    return { state: 'unreadable', dedupeKey: String(wire?.id ?? name), cause: (error as Error).message }
  }
}

function noticeOf(wire: Wire): Notice {
  const dedupeKey = text(wire, 'id')
  if (wire.event === 'virtual_account.credited') {
    return {
      kind: 'virtual_account_credit',
      // The provider's name for the money, not for the telling of it: told twice it is still one credit.
      dedupeKey: `credit:${text(wire, 'transactionReference')}`,
      accountNumber: text(wire, 'accountNumber'),
      transactionReference: text(wire, 'transactionReference'),
      amount: money(wire),
      payerName: maybeText(wire, 'payerName'),
      payerEmail: maybeText(wire, 'payerEmail'),
    }
  }
  const common = {
    dedupeKey,
    orderId: text(wire, 'orderId'),
    railReference: text(wire, 'railReference'),
    reason: maybeText(wire, 'reason'),
  }
  const collected = collectionStates[wire.event]
  if (collected) return { kind: 'collection', state: collected, amount: wire.amount ? money(wire) : null, ...common }
  const paid = payoutStates[wire.event]
  if (paid) return { kind: 'payout', state: paid, ...common }
  throw new Error(`the event "${wire.event}" is not known`)
}

function text(wire: Wire, field: string): string {
  const value = wire[field]
  if (typeof value !== 'string' || value === '') throw new Error(`${field} is missing`)
  return value
}

function maybeText(wire: Wire, field: string): string | null {
  const value = wire[field]
  return typeof value === 'string' && value !== '' ? value : null
}

function money({ amount }: Wire): Money {
  if (!amount || !isCurrency(amount.currency)) throw new Error('amount is missing or in a currency that is not known')
  const read = parseMajor(amount.value, amount.currency)
  if (typeof read === 'string') throw new Error(`amount is ${read}`)
  return { amount: read, currency: amount.currency }
}
