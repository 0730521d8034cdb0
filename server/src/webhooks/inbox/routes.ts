import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { checkoutDir } from '../../config.ts'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../errors.ts'
import { atFirstUse } from '../../first-use.ts'
import { browserScript } from '../../http/browser-script.ts'
import { createBoxes, putLetter, type Box, type Letter } from './letters.ts'
import { checkSignature } from './operations.ts'
import { boxPage, letterItem } from './page.ts'

const nameShape = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

type Named = { Params: { name: string } }

/** A place to send webhooks to while developing: receives, checks, shows. In local only. */
export async function inboxRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  const boxOf = createBoxes()
  const find = ({ params }: FastifyRequest<Named>): Box => {
    if (!nameShape.test(params.name)) throw new Refusal('route_not_found')
    return boxOf(params.name)
  }
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  const hide = { schema: { hide: true } }

  app.post<Named>('/:name', hide, async (request, reply) => {
    const box = find(request)
    const { status, delayMs } = box.manner
    putLetter(box, await letterOf(deps, request, status))
    if (delayMs > 0) await pause(delayMs)
    return reply.code(status).send()
  })

  app.get<Named>('/:name', hide, async (request, reply) => {
    const box = find(request)
    void reply.header('content-security-policy', pagePolicy).type('text/html; charset=utf-8')
    return boxPage(box, `${deps.publicUrl()}/inbox/${box.name}`)
  })

  app.post<Named>('/:name/manner', hide, async (request, reply) => {
    const box = find(request)
    const form = new URLSearchParams(String(request.body))
    const [status, delayMs] = [Number(form.get('status')), Number(form.get('delayMs'))]
    if (Number.isInteger(status) && status >= 200 && status <= 599 && delayMs >= 0 && delayMs <= 60_000)
      box.manner = { status, delayMs }
    return reply.redirect(`/inbox/${box.name}`, 303)
  })

  streamRoute(app, find)
  assetRoutes(app)
}

async function letterOf(deps: Deps, request: FastifyRequest<Named>, answered: number): Promise<Omit<Letter, 'number'>> {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  const signature = await checkSignature(deps, request.params.name, headers, body)
  return { receivedAt: deps.now(), headers, body: body.toString(), signature, answered }
}

/** Letters as they come, each as the piece of page it will be. */
function streamRoute(app: FastifyInstance, find: (request: FastifyRequest<Named>) => Box): void {
  const endings = new Set<() => void>()
  app.addHook('preClose', async () => {
    for (const end of endings) end()
  })
  app.get<Named>('/:name/stream', { schema: { hide: true } }, (request, reply) => {
    const box = find(request)
    reply.hijack()
    const { raw } = reply
    raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    raw.write('event: open\ndata: {}\n\n')
    const watch = (letter: Letter) => raw.write(`data: ${JSON.stringify(letterItem(letter).html)}\n\n`)
    const end = () => raw.end()
    box.watchers.add(watch)
    endings.add(end)
    raw.on('close', () => {
      box.watchers.delete(watch)
      endings.delete(end)
    })
  })
}

function assetRoutes(app: FastifyInstance): void {
  const read = (file: string) => readFileSync(join(checkoutDir, 'web/inbox', file), 'utf8')
  const script = atFirstUse(() => browserScript(read('inbox.ts')))
  const style = read('inbox.css')
  app.get('/-/inbox.js', { schema: { hide: true } }, (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(script()),
  )
  app.get('/-/inbox.css', { schema: { hide: true } }, (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(style),
  )
}
