import { randomBytes } from 'node:crypto'
import { getActiveCustomer } from '../../customers/operations.ts'
import type { Deps } from '../../deps.ts'
import { invalid, Refusal, type FaultDetail } from '../../errors.ts'
import type { Actor } from '../../http/authentication.ts'
import { priceOf } from '../../rates/operations.ts'
import { methodsOf } from '../methods.ts'
import { beginningOf, present, presentEvent } from '../present.ts'
import type { NewPayment, Payment } from '../schema.ts'
import { insertPayment, type PaymentRow } from '../store.ts'

const DAY_SECONDS = 86_400
const DEFAULT_EXPIRY_SECONDS = 3 * DAY_SECONDS
/** A rate is a promise: nobody keeps it longer than this. */
const CONVERTED_EXPIRY_SECONDS = DAY_SECONDS
const DEFAULT_LINK_SECONDS = DAY_SECONDS

/** Asks somebody for money: the answer has the link to send them. */
export async function createPayment(
  deps: Deps,
  organizationId: string,
  actor: Actor,
  wish: NewPayment,
): Promise<Payment> {
  const lives = livesOf(deps, wish)
  if (methodsOf(deps, wish.sourceCurrency).length === 0) throw new Refusal('no_rail')
  return deps.db.transaction(async (tx) => {
    const customerId = wish.customerId?.toLowerCase() ?? null
    if (customerId) await getActiveCustomer(tx, organizationId, customerId)
    const price = await priceOf(deps, tx, organizationId, { ...wish, kind: 'payment' })
    const createdAt = deps.now()
    const after = (seconds: number) => new Date(createdAt.getTime() + seconds * 1000)
    const row: PaymentRow = {
      ...blank,
      organizationId,
      id: deps.newId(createdAt),
      reference: wish.reference,
      sourceAmount: price.source.amount,
      sourceCurrency: price.source.currency,
      targetAmount: price.target.amount,
      targetCurrency: price.target.currency,
      exchangeRate: price.exchangeRate,
      rateSource: price.rateSource,
      rateAsOf: price.rateAsOf,
      quoteId: price.quoteId,
      feeAmount: price.fee.amount,
      customerId,
      description: wish.description ?? null,
      metadata: wish.metadata ?? null,
      redirectUrl: wish.redirectUrl ?? null,
      linkToken: makeLinkToken(createdAt),
      linkExpiresAt: after(lives.linkSeconds),
      expiresAt: after(lives.seconds),
      createdBy: actor.id,
      createdAt,
      updatedAt: createdAt,
    }
    const event = { organizationId, id: deps.newId(createdAt), type: 'payment.created', at: createdAt } as const
    await insertPayment(tx, row, { ...event, data: presentEvent(row) })
    deps.faultPoint('payment.created')
    return present(deps, { ...row, history: beginningOf(row) })
  })
}

/** What a payment has not come to yet. */
const blank = {
  status: 'created',
  announcedStatus: 'created',
  previousStatus: null,
  failureReason: null,
  attemptId: null,
  methodId: null,
  methodType: null,
  methodName: null,
  rail: null,
  declineCount: 0,
  initiatedAt: null,
  executedAt: null,
  settlesAt: null,
  settlementId: null,
  askedAt: null,
  syncedAt: null,
  askAt: null,
  askCount: 0,
} as const satisfies Partial<PaymentRow>

/** How long the request and its link live. Refuses what cannot be, every fault at once. */
function livesOf(deps: Deps, wish: NewPayment): { seconds: number; linkSeconds: number } {
  const isConverted = (wish.targetCurrency ?? wish.sourceCurrency) !== wish.sourceCurrency
  const most = isConverted ? CONVERTED_EXPIRY_SECONDS : Infinity
  const seconds = wish.expiresIn ?? (isConverted ? CONVERTED_EXPIRY_SECONDS : DEFAULT_EXPIRY_SECONDS)
  const linkSeconds = wish.linkExpiresIn ?? Math.min(DEFAULT_LINK_SECONDS, seconds)
  const faults: FaultDetail[] = []
  if (seconds > most) faults.push({ param: 'expiresIn', message: `must be at most ${most} where currencies differ` })
  if (linkSeconds > seconds) faults.push({ param: 'linkExpiresIn', message: 'must not be more than expiresIn' })
  const wrongUrl = wish.redirectUrl && faultOfUrl(wish.redirectUrl, deps.config.env === 'production')
  if (wrongUrl) faults.push({ param: 'redirectUrl', message: wrongUrl })
  if (faults.length > 0) throw invalid(...faults)
  return { seconds, linkSeconds }
}

function faultOfUrl(text: string, isHttpsOnly: boolean): string | undefined {
  const url = /^https?:\/\/[^/]/i.test(text) ? URL.parse(text) : null
  if (!url) return 'must be an absolute http or https URL'
  if (url.username || url.password) return 'must not carry a user name or password'
  if (isHttpsOnly && url.protocol !== 'https:') return 'must be an https URL'
  return undefined
}

/** 144 random bits. The time comes first, so that new tokens are neighbours in their index. */
export function makeLinkToken(at: Date): string {
  const bytes = Buffer.concat([Buffer.alloc(6), randomBytes(18)])
  bytes.writeUIntBE(at.getTime(), 0, 6)
  return bytes.toString('base64url')
}
