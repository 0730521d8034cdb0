import { timingSafeEqual } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { fastify as createFastify, type FastifyInstance } from 'fastify'
import { createBehaviours, type Behaviour, type Behaviours } from './behaviour.ts'
import { openBook } from './book.ts'
import { createAnnouncer } from './notices.ts'
import { parts } from './parts.ts'

/** The sandbox provider: its own HTTP server, its own book, its own signed notices. It knows nothing of the rest. */
export type Simulator = { listen(host: string, port: number): Promise<number>; close(): Promise<void> }

export type SimulatorOptions = {
  readonly databaseUrl: string
  /** Shared with whoever calls it and hears its notices. */
  readonly secret: string
  /** The origin payers' browsers reach its pages at; the address it listens on where undefined. */
  readonly publicUrl: string | undefined
}

export async function createSimulator({ databaseUrl, secret, publicUrl }: SimulatorOptions): Promise<Simulator> {
  const book = await openBook(databaseUrl)
  const behaviours = createBehaviours(book)
  const announcer = createAnnouncer(book, secret, behaviours)
  const fastify = createFastify({ forceCloseConnections: true })
  const { every, stop } = createRounds()
  let ownUrl = ''
  for (const [capability, addPart] of Object.entries(parts)) {
    await fastify.register(async (api) => {
      admitCallersOnly(api, secret)
      behaveAs(api, behaviours, capability)
      addPart({ api, pages: fastify, book, announcer, behaviours, publicUrl: () => publicUrl ?? ownUrl, every })
    })
  }
  await fastify.register(async (control) => {
    admitCallersOnly(control, secret)
    controlRoutes(control, behaviours)
  })
  return {
    async listen(host, port) {
      await fastify.listen({ host, port })
      const address = fastify.server.address()
      const actual = typeof address === 'object' && address ? address.port : port
      ownUrl = `http://localhost:${actual}`
      return actual
    },
    async close() {
      await fastify.close()
      await stop()
      await announcer.close()
      await book.close()
    },
  }
}

/** What goes on by itself. A round that fails, because the book is away, is tried again at the next one's time. */
function createRounds() {
  const ending = new AbortController()
  const running: Promise<void>[] = []
  async function run(ms: number, work: () => Promise<void>): Promise<void> {
    while (!ending.signal.aborted) {
      await work().catch(() => undefined)
      await pause(ms, undefined, { signal: ending.signal }).catch(() => undefined)
    }
  }
  return {
    every: (ms: number, work: () => Promise<void>) => void running.push(run(ms, work)),
    async stop() {
      ending.abort()
      await Promise.all(running)
    },
  }
}

function admitCallersOnly(app: FastifyInstance, secret: string): void {
  const wanted = Buffer.from(`Bearer ${secret}`)
  app.addHook('onRequest', async (request, reply) => {
    const given = Buffer.from(request.headers.authorization ?? '')
    if (given.length === wanted.length && timingSafeEqual(given, wanted)) return
    await reply.code(401).send({ reason: 'unauthorized' })
  })
}

/** Slow or down as it was told to be. */
function behaveAs(api: FastifyInstance, behaviours: Behaviours, capability: string): void {
  api.addHook('preHandler', async (_request, reply) => {
    const { slowMs, isDown } = await behaviours.of(capability)
    if (slowMs > 0) await pause(slowMs)
    if (isDown) await reply.code(503).send({ reason: 'down' })
  })
}

type Control = { capability: string } & Partial<Behaviour>

/** `POST /control`: how a capability, or `all`, behaves from now on; `notices` for the notices themselves. */
function controlRoutes(app: FastifyInstance, behaviours: Behaviours): void {
  app.post<{ Body: Control }>('/control', async ({ body: { capability, ...settings } }) => {
    await behaviours.set(capability, settings)
    return { ok: true }
  })
}
