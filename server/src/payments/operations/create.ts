import { randomBytes } from 'node:crypto'
import { getActiveCustomer } from '../../customers/operations.ts'
import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { invalid, Refusal, type FaultDetail } from '../../errors.ts'
import type { Actor } from '../../http/authentication.ts'
import { pricedColumns, pricesOf, useQuotes, type Price } from '../../rates/operations.ts'
import { methodsOf } from '../methods.ts'
import { beginningOf, present, presentEvent } from '../present.ts'
import type { NewPayment, Payment } from '../schema.ts'
import { insertPayments } from '../creation-store.ts'
import type { PaymentRow } from '../store.ts'

const DAY_SECONDS = 86_400
const DEFAULT_EXPIRY_SECONDS = 3 * DAY_SECONDS
/** A rate is a promise: nobody keeps it longer than this. */
const CONVERTED_EXPIRY_SECONDS = DAY_SECONDS
const DEFAULT_LINK_SECONDS = DAY_SECONDS

/** Somebody's wish for a payment. */
export type Request = { readonly organizationId: string; readonly actor: Actor; readonly wish: NewPayment }

/** Asks somebody for money: the answer has the link to send them. */
export async function createPayment(deps: Deps, request: Request): Promise<Payment> {
  return deps.db.transaction(async (tx) => {
    const [made] = await createPayments({ ...deps, db: tx }, [request])
    if (made instanceof Refusal) throw made
    return made!
  })
}

/** Does so for many, in one transaction and one statement; for each its payment or why not. */
export async function createPayments(deps: Deps, requests: readonly Request[]): Promise<(Payment | Refusal)[]> {
  return deps.db.transaction(async (tx) => {
    const drafts = await draftAll(deps, tx, requests)
    const rows = drafts.filter((draft) => !(draft instanceof Refusal))
    const added = await insertPayments(
      tx,
      rows.map((row) => {
        const { organizationId, createdAt: at } = row
        const event = { organizationId, id: deps.newId(at), type: 'payment.created', at } as const
        return { row, event: { ...event, data: presentEvent(row) } }
      }),
    )
    const quotes = rows.flatMap(({ organizationId, id, quoteId }) =>
      quoteId && added.has(id) ? [{ organizationId, id: quoteId }] : [],
    )
    await useQuotes(deps, tx, quotes)
    deps.faultPoint('payment.created')
    return drafts.map((draft) => {
      if (draft instanceof Refusal) return draft
      if (!added.has(draft.id)) return new Refusal('reference_taken', { param: 'reference' })
      return present(deps, { ...draft, history: beginningOf(draft) })
    })
  })
}

/** What each would be, or why it cannot be. A quote is good for the first of them that names it. */
async function draftAll(deps: Deps, tx: Tx, requests: readonly Request[]): Promise<(PaymentRow | Refusal)[]> {
  const lives: (Lives | Refusal)[] = []
  for (const request of requests) lives.push(await refusalOr(() => checked(deps, tx, request)))
  const able = requests.filter((_, index) => !(lives[index] instanceof Refusal))
  const prices = await pricesOf(
    deps,
    tx,
    able.map(({ organizationId, wish }) => ({ ...wish, organizationId, kind: 'payment' as const })),
  )
  const quotes = new Set<string>()
  return requests.map((request, index) => {
    const life = lives[index]!
    const price = prices[able.indexOf(request)]
    if (life instanceof Refusal) return life
    if (price instanceof Refusal) return price
    if (price!.quoteId && quotes.has(price!.quoteId)) return new Refusal('quote_used', { param: 'quoteId' })
    if (price!.quoteId) quotes.add(price!.quoteId)
    return draft(deps, request, life, price!)
  })
}

/** Everything that can be wrong with a wish before its price is asked for. */
async function checked(deps: Deps, tx: Tx, { organizationId, wish }: Request): Promise<Lives> {
  const lives = livesOf(deps, wish)
  if (methodsOf(deps, wish.sourceCurrency).length === 0) throw new Refusal('no_rail')
  if (wish.customerId) await getActiveCustomer(tx, organizationId, wish.customerId.toLowerCase())
  return lives
}

async function refusalOr<T>(work: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

function draft(deps: Deps, { organizationId, actor, wish }: Request, lives: Lives, price: Price): PaymentRow {
  const createdAt = deps.now()
  const after = (seconds: number) => new Date(createdAt.getTime() + seconds * 1000)
  return {
    ...blank,
    organizationId,
    id: deps.newId(createdAt),
    reference: wish.reference,
    ...pricedColumns(price),
    customerId: wish.customerId?.toLowerCase() ?? null,
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

type Lives = { readonly seconds: number; readonly linkSeconds: number }

/** How long the request and its link live. Refuses what cannot be, every fault at once. */
function livesOf(deps: Deps, wish: NewPayment): Lives {
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
