import { timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../errors.ts'
import { onPaymentChange } from '../payments/changes.ts'
import { beginAttempt, comeBack, openPayment, type Choice } from '../payments/operations/attempts.ts'
import { findVisit, type Visit } from '../payments/payer.ts'
import { newsOf, renderNow, sendNews, sendPage, sendSign, type Kiosk } from './answers.ts'
import type { Problem } from './choosing.ts'
import { cookieNeeded, oldLink, unknownLink } from './signs.ts'
import { isFromOurPage, isLooked, rememberVisit, visitOf } from './visits.ts'

type Request = FastifyRequest<{ Params: { token: string } }>
type Payment = Extract<Visit, { state: 'visit' }>['payment']

/** As it can stand in a header, whatever was asked for. */
const pathOf = ({ params }: Request) => `/pay/${encodeURIComponent(params.token)}`

/** The page. Looking at it opens the payment; asking about it, or fetching it ahead of time, does not. */
export async function showPage(kiosk: Kiosk, request: Request, reply: FastifyReply): Promise<FastifyReply> {
  const { deps } = kiosk
  const path = pathOf(request)
  const visit = await findVisit(deps, request.params.token, visitOf(request))
  if (visit.state === 'unknown') return sendSign(kiosk, reply, 404, unknownLink)
  if (visit.state === 'link_too_old') return showOldLink(kiosk, request, reply, visit.payment)
  if (!isLooked(request)) return sendPage(kiosk, reply, path, visit.payment, { isOpened: false })
  const payment = await openPayment(deps, visit.payment)
  rememberVisit(deps, reply, { path, visit: visit.visitCookie, expiresAt: payment.expiresAt })
  return sendPage(kiosk, reply, path, payment)
}

/** How a payment ended can be seen with its last link, however old; an open one needs a fresh link. */
async function showOldLink(kiosk: Kiosk, request: Request, reply: FastifyReply, payment: Payment) {
  const { view, rendering } = await renderNow(kiosk, pathOf(request), payment)
  const isReplaced = payment.linkToken !== request.params.token
  if (isReplaced || !rendering.hasEnded) return sendSign(kiosk, reply, 410, oldLink(view.organizationName))
  return sendPage(kiosk, reply, pathOf(request), payment)
}

/** The provider sent the payer back. What was not approved there is ended, so that another way can be chosen. */
export async function comeBackFromProvider(kiosk: Kiosk, request: Request, reply: FastifyReply) {
  const payment = isLooked(request) ? await admit(kiosk, request) : undefined
  if (payment) await comeBack(kiosk.deps, payment)
  return reply.redirect(pathOf(request), 303)
}

/** What the script asks when it cannot listen. */
export async function look(kiosk: Kiosk, request: Request, reply: FastifyReply): Promise<FastifyReply> {
  const payment = await admit(kiosk, request)
  if (!payment) return sendSign(kiosk, reply, 403, cookieNeeded(pathOf(request)))
  const { rendering } = await renderNow(kiosk, pathOf(request), payment)
  if (request.headers['if-none-match'] === `"${rendering.version}"`) return reply.code(304).send()
  return sendNews(kiosk, reply, pathOf(request), payment)
}

/** Server-sent events: the frame whenever it changes. */
export async function follow(kiosk: Kiosk, request: Request, reply: FastifyReply): Promise<unknown> {
  const { deps, streams } = kiosk
  const payment = await admit(kiosk, request)
  if (!payment) return sendSign(kiosk, reply, 403, cookieNeeded(pathOf(request)))
  if (streams.isFull()) return reply.code(503).header('retry-after', '10').send()
  const headers = { ...reply.getHeaders(), 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' }
  reply.hijack()
  reply.raw.writeHead(200, headers as Record<string, string>)
  streams.follow(reply.raw, {
    subscribe: (onChange) => onPaymentChange(deps, payment.organizationId, payment.id, onChange),
    async read() {
      const { rendering, now } = await renderNow(kiosk, pathOf(request), payment)
      return { version: rendering.version, hasEnded: rendering.hasEnded, body: newsOf(rendering, now) }
    },
  })
  return reply
}

/** The payer chose a way to pay. */
export async function begin(kiosk: Kiosk, request: Request, reply: FastifyReply): Promise<FastifyReply> {
  const payment = isFromOurPage(request, kiosk.deps.publicUrl()) ? await admit(kiosk, request) : undefined
  if (!payment) return sendSign(kiosk, reply, 403, cookieNeeded(pathOf(request)))
  const choice = readChoice(request.body)
  try {
    const { step } = await beginAttempt(kiosk.deps, payment, choice)
    return await answerForm(kiosk, request, reply, payment, { goTo: step.kind === 'redirect' ? step.url : undefined })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return answerForm(kiosk, request, reply, payment, { problem: problemOf(error, choice) })
  }
}

/** The payer would rather choose another way. */
export async function leave(kiosk: Kiosk, request: Request, reply: FastifyReply): Promise<FastifyReply> {
  const payment = isFromOurPage(request, kiosk.deps.publicUrl()) ? await admit(kiosk, request) : undefined
  if (!payment) return sendSign(kiosk, reply, 403, cookieNeeded(pathOf(request)))
  await comeBack(kiosk.deps, payment)
  return answerForm(kiosk, request, reply, payment, {})
}

/** The payment of a visit: known by the cookie the page set, not by the link alone. */
async function admit({ deps }: Kiosk, request: Request): Promise<Payment | undefined> {
  const given = visitOf(request)
  const visit = await findVisit(deps, request.params.token, given)
  if (visit.state !== 'visit' || given === undefined) return undefined
  const [a, b] = [Buffer.from(given), Buffer.from(visit.visitCookie)]
  return a.length === b.length && timingSafeEqual(a, b) ? visit.payment : undefined
}

/** The script gets news; a form sent without it gets the page again, so that reloading sends nothing twice. */
async function answerForm(
  kiosk: Kiosk,
  request: Request,
  reply: FastifyReply,
  payment: Payment,
  answer: { goTo?: string | undefined; problem?: Problem | undefined },
): Promise<FastifyReply> {
  const path = pathOf(request)
  if (request.headers.accept?.includes('application/json')) return sendNews(kiosk, reply, path, payment, answer)
  if (answer.problem) return sendPage(kiosk, reply, path, payment, { problem: answer.problem })
  return reply.redirect(path, 303)
}

function readChoice(body: unknown): Choice {
  const { methodId = '', phone, operator } = (body ?? {}) as Partial<Record<string, string>>
  return { methodId, ...(phone && { phone }), ...(operator && { operator }) }
}

/** What the payer can do about a refusal. Where the payment has moved on, its new state says it better. */
function problemOf({ code, extras }: Refusal, { methodId, phone, operator }: Choice): Problem | undefined {
  const filled = { methodId, ...(phone && { phone }), ...(operator && { operator }) }
  switch (code) {
    case 'invalid_request': {
      const params = extras.details?.map(({ param }) => param) ?? []
      if (params.includes('phone')) return { ...filled, field: 'phone', message: 'Please check this number.' }
      if (params.includes('operator')) return { ...filled, field: 'operator', message: 'Please choose your network.' }
      return { ...filled, message: 'This way to pay is not available for this payment. Please choose another one.' }
    }
    case 'collection_provider_unavailable':
      return {
        ...filled,
        message: 'The provider is not answering. Nothing was taken. Try again, or choose another way.',
      }
    default:
      return undefined
  }
}
