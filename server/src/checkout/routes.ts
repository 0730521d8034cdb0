import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { encodingFor, readAssets } from './assets.ts'
import { atFirstUse } from '../first-use.ts'
import { answerTrouble, sendSign, type Kiosk } from './answers.ts'
import { unknownLink } from './signs.ts'
import { createStreams } from './streams.ts'
import { begin, comeBackFromProvider, follow, leave, look, showPage } from './handlers.ts'

/** A form of a method, a phone number and an operator is far smaller. */
const MAX_FORM_BYTES = 4 * 1024
/** Its address changes with its content. */
const FOR_EVER = 'public, max-age=31536000, immutable'

/** Nothing inline, nothing from elsewhere, in nobody's frame; markup is written by one named policy of our script. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types kolo',
].join('; ')

const pageHeaders = {
  'content-security-policy': policy,
  // With "no-referrer" a browser would not say where a form comes from, not even to ourselves.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=(), clipboard-write=(self)',
  'x-robots-tag': 'noindex, nofollow',
}

type ByToken = { Params: { token: string } }

/** `{origin}/pay/{linkToken}`: the page, what its forms send, and what its script asks. Outside the API. */
export async function checkoutRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  const kiosk: Kiosk = {
    deps,
    setting: { assets: atFirstUse(readAssets), isSandbox: deps.config.env !== 'production' },
    streams: createStreams(),
  }
  app.addHook('preClose', async () => kiosk.streams.endAll())
  app.addHook('onRequest', async (_request, reply) => void reply.headers(pageHeaders))
  app.setErrorHandler((error, request, reply) => answerTrouble(kiosk, error as Error, request, reply))
  app.setNotFoundHandler((_request, reply) => sendSign(kiosk, reply, 404, unknownLink))
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(body as string))),
  )
  const schema = { hide: true }
  const handled =
    (handler: (kiosk: Kiosk, request: FastifyRequest<ByToken>, reply: FastifyReply) => Promise<unknown>) =>
    (request: FastifyRequest<ByToken>, reply: FastifyReply) =>
      handler(kiosk, request, reply)

  app.get<ByToken>('/:token', { schema }, handled(showPage))
  app.get<ByToken>('/:token/return', { schema }, handled(comeBackFromProvider))
  app.get<ByToken>('/:token/view', { schema }, handled(look))
  app.get<ByToken>('/:token/live', { schema }, handled(follow))
  app.post<ByToken>('/:token/attempts', { schema, bodyLimit: MAX_FORM_BYTES }, handled(begin))
  app.post<ByToken>('/:token/leave', { schema, bodyLimit: MAX_FORM_BYTES }, handled(leave))
  app.get<{ Params: { version: string; name: string } }>(
    '/assets/:version/:name',
    { schema },
    async (request, reply) => {
      const asset = kiosk.setting.assets().find(request.params.version, request.params.name)
      if (!asset) return reply.code(404).type('text/plain; charset=utf-8').send('There is no such file.')
      const encoding = encodingFor(request.headers['accept-encoding'])
      if (encoding !== 'identity') void reply.header('content-encoding', encoding)
      return reply
        .headers({ 'cache-control': FOR_EVER, vary: 'accept-encoding' })
        .type(asset.type)
        .send(asset.bodies[encoding])
    },
  )
}
