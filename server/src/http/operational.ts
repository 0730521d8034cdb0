import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import { unauthenticated } from '../api-keys/keyring.ts'
import type { Capability } from '../rails/rail.ts'
import { checkDatabase } from './readiness.ts'

/** What the process is doing: only a ready one is sent requests. */
export type Phase = 'starting' | 'ready' | 'draining'

/** What the process knows of itself. */
type State = { phase(): Phase; isHeard(): boolean }

/** Whether this process has stopped asking a provider for something, because it was not answered. */
export type RailState = { readonly rail: string; readonly capability: Capability; readonly isLeftAlone: boolean }

/** What an operator's tools ask: is it alive, is it ready, how is it doing. */
export function operationalRoutes(app: FastifyInstance, deps: Deps, { phase, isHeard }: State): void {
  app.get('/health/live', { schema: { hide: true } }, async () => ({ status: 'live' }))

  app.get('/health/ready', { schema: { hide: true } }, async (_request, reply) => {
    const database = await checkDatabase(deps.db)
    const heartbeat = isHeard() ? 'up' : 'down'
    deps.metrics.databaseUp.set(database === 'up' ? 1 : 0)
    const status = phase() !== 'ready' ? phase() : database === 'up' && heartbeat === 'up' ? 'ready' : 'unavailable'
    return reply
      .code(status === 'ready' ? 200 : 503)
      .send({ status, checks: { database, heartbeat, rails: railStates(deps) } })
  })

  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    guardMetrics(deps, request)
    for (const breaker of deps.rails.breakers) {
      const { rail, capability } = breaker
      deps.metrics.railBreakerOpen.set({ rail, capability }, breaker.isOpen() ? 1 : 0)
    }
    return reply.type(deps.metrics.registry.contentType).send(await deps.metrics.registry.metrics())
  })
}

/** A provider that does not answer does not make us unready: what does not need it goes on. */
function railStates({ rails }: Deps): RailState[] {
  return rails.breakers.map(({ rail, capability, isOpen }) => ({ rail, capability, isLeftAlone: isOpen() }))
}

/** Open in local; elsewhere only with the token, and in production not at all without one. */
function guardMetrics({ config }: Deps, request: FastifyRequest): void {
  const token = config.metricsToken
  if (token === undefined) {
    if (config.env === 'production') throw new Refusal('route_not_found')
    return
  }
  const [given, wanted] = [request.headers.authorization ?? '', `Bearer ${token}`].map((text) => Buffer.from(text))
  if (given!.length !== wanted!.length || !timingSafeEqual(given!, wanted!)) throw unauthenticated('credential_invalid')
}
