import { timingSafeEqual } from 'node:crypto'
import type { Deps } from '../deps.ts'
import type { Money } from '../money/money.ts'
import { findOpenOrganization } from '../organizations/operations.ts'
import type { CollectionStep, CollectionType } from '../rails/rail.ts'
import { findAttempts, type AttemptRow, type StoredStep } from './attempt-store.ts'
import { methodsOf } from './methods.ts'
import { takes } from './operations/attempts.ts'
import { isLive, type FailureReason, type PaymentStatus } from './states.ts'
import { findByToken, findPayment, type PaymentRow } from './store.ts'

/** What the payment page may ask, show and do: everything it needs stands in this file. */
export { onPaymentChange } from './changes.ts'
export { beginAttempt, comeBack, openPayment } from './operations/attempts.ts'

export type Visit =
  | { readonly state: 'unknown' }
  | { readonly state: 'link_too_old'; readonly payment: PaymentRow }
  | { readonly state: 'visit'; readonly payment: PaymentRow; readonly visitCookie: string }

const tokenShape = /^[A-Za-z0-9_-]{32}$/

/**
 * Who opens a link: in time, or known by the cookie of a visit that began in time. Such a browser may finish although
 * the token was replaced or got too old meanwhile.
 */
export async function findVisit(deps: Deps, token: string, visitCookie: string | undefined): Promise<Visit> {
  const payment = tokenShape.test(token) ? await findByToken(deps.db, token) : undefined
  if (!payment) return { state: 'unknown' }
  const isInTime = payment.linkToken === token && payment.linkExpiresAt > deps.now()
  if (!isInTime && !isCookieOf(deps, payment, visitCookie)) return { state: 'link_too_old', payment }
  return { state: 'visit', payment, visitCookie: cookieOf(deps, payment, deps.secrets.keyId) }
}

function cookieOf(deps: Deps, { organizationId, id }: PaymentRow, keyId: string): string {
  return `${keyId}.${deps.secrets.mac('payment-visit', `${organizationId}/${id}`, keyId).toString('base64url')}`
}

function isCookieOf(deps: Deps, payment: PaymentRow, given: string | undefined): boolean {
  const keyId = given?.split('.', 1)[0]
  if (!given || !keyId) return false
  try {
    const [expected, shown] = [Buffer.from(cookieOf(deps, payment, keyId)), Buffer.from(given)]
    return expected.length === shown.length && timingSafeEqual(expected, shown)
  } catch {
    // It names a master key that is gone, or never was.
    return false
  }
}

export type PayerMethod = {
  readonly id: string
  readonly type: CollectionType
  readonly name: string
  readonly country: string
  /** The networks of mobile money; none for other ways. */
  readonly operators: readonly string[]
}

/** The methods that can take this amount and currency. */
export function methodsFor(deps: Deps, payment: PaymentRow): PayerMethod[] {
  return methodsOf(deps, payment.sourceCurrency)
    .filter((method) => takes(method, payment))
    .map(({ id, type, name, country, operators = [] }) => ({ id, type, name, country, operators }))
}

/** The payer's latest try. `live` while the provider waits for the payer. */
export type PayerAttempt = {
  readonly methodId: string
  readonly methodName: string
  readonly type: CollectionType
  readonly state: 'live' | 'declined' | 'lapsed' | 'left'
  readonly reason: string | null
  /** What the payer must do; null until the provider has said. */
  readonly step: CollectionStep | null
}

/** Everything the page shows of a payment, and nothing the payer should not see. */
export type PayerView = {
  readonly paymentId: string
  readonly reference: string
  readonly status: PaymentStatus
  readonly organizationName: string
  readonly description: string | null
  readonly source: Money
  readonly target: Money
  readonly exchangeRate: string
  readonly expiresAt: Date
  /** With paymentId, reference and status, once there is something to go back with. */
  readonly redirectUrl: string | null
  readonly failureReason: FailureReason | null
  /** Why the newest attempt was declined, if it was. */
  readonly declineReason: string | null
  readonly paidAt: Date | null
  readonly paidBy: string | null
  readonly methods: readonly PayerMethod[]
  readonly attempt: PayerAttempt | null
}

export async function payerView(deps: Deps, { organizationId, id }: PaymentRow): Promise<PayerView> {
  const payment = await findPayment(deps.db, organizationId, id)
  if (!payment) throw new Error('a payment that was shown is gone')
  const [organization, tried] = await Promise.all([
    findOpenOrganization(deps.db, organizationId),
    findAttempts(deps.db, [{ organizationId, id }]),
  ])
  const newest = tried.findLast(({ methodId }) => methodId !== null)
  return {
    paymentId: id,
    reference: payment.reference,
    status: payment.status,
    organizationName: organization?.name ?? '',
    description: payment.description,
    source: { amount: payment.sourceAmount, currency: payment.sourceCurrency },
    target: { amount: payment.targetAmount, currency: payment.targetCurrency },
    exchangeRate: payment.exchangeRate,
    expiresAt: payment.expiresAt,
    redirectUrl: redirectOf(payment),
    failureReason: payment.failureReason,
    declineReason: newest?.status === 'declined' ? newest.reason : null,
    paidAt: payment.executedAt,
    paidBy: payment.executedAt ? payment.methodName : null,
    methods: methodsFor(deps, payment),
    attempt: newest ? presentAttempt(newest) : null,
  }
}

function presentAttempt({ methodId, methodName, methodType, status, reason, step }: AttemptRow): PayerAttempt | null {
  if (!methodId || !methodName || !methodType) return null
  const ended = status === 'declined' || status === 'rejected' ? 'declined' : reason === 'lapsed' ? 'lapsed' : 'left'
  const state = isLive(status) || status === 'received' ? 'live' : ended
  return { methodId, methodName, type: methodType, state, reason, step: step && readStep(step) }
}

function readStep(step: StoredStep): CollectionStep {
  return step.kind === 'transfer' ? { ...step, expiresAt: new Date(step.expiresAt) } : step
}

function redirectOf({ redirectUrl, id, reference, status }: PaymentRow): string | null {
  if (!redirectUrl) return null
  const url = new URL(redirectUrl)
  url.searchParams.set('paymentId', id)
  url.searchParams.set('reference', reference)
  url.searchParams.set('status', status)
  return url.href
}
