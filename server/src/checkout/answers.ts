import type { FastifyReply, FastifyRequest } from 'fastify'
import { isUnavailable } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import { payerView, type PayerView } from '../payments/payer.ts'
import type { Problem } from './choosing.ts'
import { renderFrame, renderPage, renderSign, type PageSetting, type Rendering, type Sign } from './page.ts'
import { outOfOrder, unknownLink } from './signs.ts'
import type { Streams } from './streams.ts'

/** What every answer is made with. */
export type Kiosk = { readonly deps: Deps; readonly setting: PageSetting; readonly streams: Streams }

/** A payment as its page knows it. */
type Payment = Parameters<typeof payerView>[1]

const HTML = 'text/html; charset=utf-8'
const JSON_TYPE = 'application/json; charset=utf-8'

/** Nobody can pay it any more, whether or not a worker has written that down yet. */
function shown(view: PayerView, now: Date): PayerView {
  const isOver = (view.status === 'created' || view.status === 'pending') && view.expiresAt <= now
  return isOver ? { ...view, status: 'expired' } : view
}

/** The payment as it is now, rendered. */
export async function renderNow({ deps }: Kiosk, path: string, payment: Payment, problem?: Problem) {
  const now = deps.now()
  const view = shown(await payerView(deps, payment), now)
  return { view, now, rendering: renderFrame(path, view, now, problem) }
}

/** What the script is told: the frame, and where to go next, if anywhere. */
export function newsOf({ version, title, frame, hasEnded }: Rendering, now: Date, extras: object = {}): string {
  return JSON.stringify({ version, title, html: frame.html, hasEnded, now: now.toISOString(), ...extras })
}

export async function sendPage(
  kiosk: Kiosk,
  reply: FastifyReply,
  path: string,
  payment: Payment,
  { isOpened = true, problem }: { isOpened?: boolean; problem?: Problem } = {},
): Promise<FastifyReply> {
  const { view, now, rendering } = await renderNow(kiosk, path, payment, problem)
  const isGone = view.status === 'expired' || view.status === 'cancelled'
  return reply
    .code(isGone ? 410 : problem ? 422 : 200)
    .type(HTML)
    .send(renderPage(kiosk.setting, path, rendering, now, isOpened))
}

export async function sendNews(
  kiosk: Kiosk,
  reply: FastifyReply,
  path: string,
  payment: Payment,
  { goTo, problem }: { goTo?: string | undefined; problem?: Problem | undefined } = {},
): Promise<FastifyReply> {
  const { now, rendering } = await renderNow(kiosk, path, payment, problem)
  return reply
    .code(problem ? 422 : 200)
    .header('etag', `"${rendering.version}"`)
    .type(JSON_TYPE)
    .send(newsOf(rendering, now, { goTo, mustShow: problem !== undefined }))
}

export function sendSign({ setting }: Kiosk, reply: FastifyReply, status: number, sign: Sign): FastifyReply {
  return reply.code(status).type(HTML).send(renderSign(setting, sign))
}

/** Whatever went wrong: the payer reads a sentence, the operator the cause. */
export function answerTrouble(kiosk: Kiosk, error: Error, request: FastifyRequest, reply: FastifyReply): void {
  const given = error instanceof Refusal ? error.status : 'statusCode' in error ? Number(error.statusCode) : 500
  const status = isUnavailable(error) ? 503 : given >= 400 && given < 500 ? given : 500
  if (status === 500) request.log.error({ err: error }, 'unexpected error')
  if (status === 503) request.log.warn({ err: error }, 'answered 503')
  if (status === 503) void reply.header('retry-after', '1')
  void sendSign(kiosk, reply, status, status === 404 ? unknownLink : outOfOrder)
}
