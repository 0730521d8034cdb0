import { isCurrency, type Currency } from '../../money/currencies.ts'
import { minor, parseMajor, toMajor, MAX_OPERATION_MINOR, type Money } from '../../money/money.ts'
import type {
  BankAccount,
  CollectionCapability,
  CollectionMethod,
  CollectionState,
  CollectionStep,
  CollectionType,
  Outcome,
  Reply,
} from '../rail.ts'
import { instantOf, notUnderstood, type SandboxClient } from './client.ts'

const names: Readonly<Record<CollectionType, string>> = {
  bank_transfer: 'Bank transfer',
  pay_by_bank: 'Pay by bank',
  mobile_money: 'Mobile money',
  card: 'Card',
}

/** What the provider offers in each currency, besides bank transfer and card, which it offers everywhere. */
const offers: Readonly<Record<Currency, { country: string; payByBank?: true; operators?: readonly string[] }>> = {
  NGN: { country: 'NG', payByBank: true },
  GHS: { country: 'GH', payByBank: true, operators: ['MTN', 'Telecel', 'AirtelTigo'] },
  KES: { country: 'KE', payByBank: true, operators: ['M-Pesa', 'Airtel Money'] },
  UGX: { country: 'UG', operators: ['MTN', 'Airtel Money'] },
  TZS: { country: 'TZ', operators: ['M-Pesa', 'Airtel Money', 'Mixx by Yas', 'HaloPesa'] },
  RWF: { country: 'RW', operators: ['MTN', 'Airtel Money'] },
  ZMW: { country: 'ZM', operators: ['MTN', 'Airtel Money', 'Zamtel'] },
  ZAR: { country: 'ZA', payByBank: true },
  XOF: { country: 'CI', operators: ['Orange Money', 'MTN', 'Moov', 'Wave'] },
  XAF: { country: 'CM', operators: ['Orange Money', 'MTN'] },
  USD: { country: 'US' },
  GBP: { country: 'GB', payByBank: true },
  EUR: { country: 'DE', payByBank: true },
}

function methods(): readonly CollectionMethod[] {
  return (Object.keys(offers) as Currency[]).flatMap((currency) => {
    const { country, payByBank, operators } = offers[currency]
    const method = (type: CollectionType, more: object = {}): CollectionMethod => ({
      id: `${type}_${currency.toLowerCase()}`,
      type,
      name: names[type],
      currency,
      country,
      min: { amount: minor(1n), currency },
      max: { amount: minor(MAX_OPERATION_MINOR), currency },
      ...more,
    })
    return [
      method('bank_transfer'),
      ...(payByBank ? [method('pay_by_bank')] : []),
      ...(operators ? [method('mobile_money', { operators })] : []),
      method('card'),
    ]
  })
}

type Wired = { readonly value: number; readonly currency: string }
type WiredState = {
  readonly state: string
  readonly reason?: string | null
  readonly received?: Wired
  readonly isSettled?: boolean
  readonly railReference?: string
}
type WiredStep =
  | { readonly kind: 'redirect'; readonly url: string }
  | { readonly kind: 'transfer'; readonly account: BankAccount; readonly validForSeconds: number }
  | { readonly kind: 'prompt'; readonly phone: string }

export function collectionsOf(client: SandboxClient, rail: string): CollectionCapability {
  const offered = methods()
  return {
    methods: offered,
    // Counted by the calendar of the provider's country where a deployment asks for the provider's own time.
    settlement: { by: 'days', businessDays: 1, country: 'NG' },
    async begin({ at, amount, methodId, ...order }) {
      const noticeUrl = await client.connection.noticeUrl(rail)
      if (!noticeUrl) return { state: 'unknown', cause: 'there is no address for notices yet', isUnsent: true }
      const kind = offered.find(({ id }) => id === methodId)?.type
      const body = { ...order, kind, amount: wire(amount), noticeUrl }
      const reply = await client.ask<{ railReference: string; step: WiredStep }>('POST', '/collections', body)
      if (reply.state !== 'answered') return reply
      const { railReference } = reply.value
      const step = readStep(reply.value.step, at)
      if (!step) return notUnderstood('the step the payer is to take is not known')
      return { state: 'answered', value: { railReference, step } }
    },
    async ask(orderId) {
      return stateOf(await client.ask<WiredState>('GET', `/collections/${orderId}`))
    },
    async void(orderId) {
      return stateOf(await client.ask<WiredState>('POST', `/collections/${orderId}/void`, {}))
    },
    async giveBack({ returnId, orderId, amount }): Promise<Outcome> {
      const reply = await client.ask<{ railReference: string; returnedAt: string | null }>(
        'POST',
        `/collections/${orderId}/returns`,
        { returnId, amount: wire(amount) },
      )
      if (reply.state === 'unknown') return reply
      if (reply.state === 'refused') return { state: 'rejected', reason: reply.reason }
      const { railReference, returnedAt } = reply.value
      if (returnedAt === null) return { state: 'pending', railReference }
      const completedAt = instantOf(returnedAt)
      return completedAt
        ? { state: 'completed', railReference, completedAt }
        : notUnderstood('the provider does not say when it was sent back')
    },
  }
}

/** Total: a step that is not here is not understood, and nobody is sent on with it. */
function readStep(step: WiredStep | undefined, at: Date): CollectionStep | undefined {
  switch (step?.kind) {
    case 'redirect':
    case 'prompt':
      return step
    case 'transfer': {
      const { kind, account, validForSeconds } = step
      return { kind, account, expiresAt: new Date(at.getTime() + validForSeconds * 1000) }
    }
    default:
      return undefined
  }
}

function stateOf(reply: Reply<WiredState>): Reply<CollectionState> {
  if (reply.state !== 'answered') return reply
  const { state, reason, received, isSettled = false, railReference = '' } = reply.value
  switch (state) {
    case 'received': {
      const money = received && read(received)
      if (!money) return { state: 'unknown', cause: 'the provider names no amount it has received' }
      return { state: 'answered', value: { state, received: money, isSettled, railReference } }
    }
    case 'declined':
    case 'rejected':
      return { state: 'answered', value: { state, reason: reason ?? 'declined_by_provider' } }
    case 'waiting':
    case 'accepted':
    case 'voided':
    case 'not_found':
      return { state: 'answered', value: { state } }
    default:
      return notUnderstood(`the state "${state}" is not known`)
  }
}

function wire({ amount, currency }: Money): Wired {
  return { value: toMajor(amount, currency), currency }
}

function read({ value, currency }: Wired): Money | undefined {
  if (!isCurrency(currency)) return undefined
  const amount = parseMajor(value, currency)
  return typeof amount === 'string' ? undefined : { amount, currency }
}
