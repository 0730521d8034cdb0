import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import cors from '@fastify/cors'
import {
  fastify as createFastify,
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type RawServerDefault,
} from 'fastify'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import scalar from '@scalar/fastify-api-reference'
import { apiKeyRoutes } from './api-keys/routes.ts'
import { auditLogRoutes } from './audit-log/routes.ts'
import { authRoutes } from './auth/routes.ts'
import type { Deps } from './deps.ts'
import { Refusal } from './errors.ts'
import { eventRoutes } from './events/routes.ts'
import { authentication } from './http/authentication.ts'
import { answerError } from './http/errors.ts'
import { parseJson } from './http/json.ts'
import { describeApi, documenting } from './http/openapi.ts'
import { operationalRoutes, type Phase } from './http/operational.ts'
import { prepareRoutes, refuseOtherMethods } from './http/routing.ts'
import { validatorCompiler } from './http/validation.ts'
import { memberRoutes } from './members/routes.ts'
import { organizationRoutes } from './organizations/routes.ts'
import type { ClockMover } from './sandbox/operations.ts'
import { clockRoutes } from './sandbox/routes.ts'
import { noticeRoutes } from './rails/inbox/routes.ts'
import { transferRoutes } from './transfers/routes.ts'
import { walletRoutes, walletSandboxRoutes } from './wallets/routes.ts'
import { rateRoutes } from './rates/routes.ts'

/** The API's routes, by name. Each noun adds its own. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

const BODY_LIMIT_BYTES = 1024 * 1024
const requestIdShape = /^[A-Za-z0-9._:-]{1,128}$/

const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'strict-transport-security': 'max-age=63072000; includeSubDomains',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

export type App = { readonly fastify: FastifyInstance; enter(phase: Phase): void }

/** The HTTP side of a process: the API where `mover` is given, and in every role what operators ask. */
export async function createApp(deps: Deps, mover?: ClockMover): Promise<App> {
  let phase: Phase = 'starting'
  const fastify: FastifyInstance = createFastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    trustProxy: deps.config.trustedProxies ?? false,
    genReqId: (raw) => {
      const own = raw.headers['x-request-id']
      return typeof own === 'string' && requestIdShape.test(own) ? own : randomUUID()
    },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 500 },
  })
  fastify.setErrorHandler(answerError)
  fastify.setNotFoundHandler(() => {
    throw new Refusal('route_not_found')
  })
  fastify.addHook('onRequest', async (request, reply) => {
    void reply.headers({ ...securityHeaders, 'x-request-id': request.id })
    // While draining, what still arrives on an open connection is served, and the connection ends with it.
    if (phase === 'draining') void reply.header('connection', 'close')
  })
  observe(fastify, deps)
  if (deps.config.corsOrigins) await fastify.register(cors, { origin: [...deps.config.corsOrigins] })
  operationalRoutes(fastify, deps, () => phase)
  if (mover) {
    await describeApi(fastify, deps.config)
    await fastify.register(async (api) => addApi(api, deps, mover), { prefix: '/api' })
    await fastify.register((rails) => noticeRoutes(rails, deps))
    await documentationRoutes(fastify, deps)
  }
  await fastify.ready()
  return { fastify, enter: (next) => (phase = next) }
}

/** Everything under `{base_url}`, in the order of faults: route, credential, permission, body, shape, then the operation. */
function addApi(instance: FastifyInstance, deps: Deps, mover: ClockMover): void {
  const api = instance as Api
  api.setValidatorCompiler(validatorCompiler(deps.config))
  api.removeAllContentTypeParsers()
  api.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    request.rawBody = body
    if (body.length === 0) return done(null, undefined)
    try {
      done(null, parseJson(body))
    } catch (error) {
      done(error as Error)
    }
  })
  api.decorateRequest('rawBody', null)
  api.addHook('onRequest', authentication(deps))
  const addFallbacks = refuseOtherMethods(instance)
  prepareRoutes(instance, deps)
  authRoutes(api)
  organizationRoutes(api)
  memberRoutes(api)
  apiKeyRoutes(api)
  auditLogRoutes(api)
  walletRoutes(api)
  rateRoutes(api)
  transferRoutes(api)
  eventRoutes(api)
  if (deps.config.env !== 'production') walletSandboxRoutes(api)
  if (deps.config.env === 'local') clockRoutes(api, mover)
  addFallbacks()
}

/** Counts and logs every answer: the route's pattern, never its address, which may carry personal data. */
function observe(fastify: FastifyInstance, { metrics }: Deps): void {
  fastify.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    const seconds = reply.elapsedTime / 1000
    metrics.requests.inc({ method: request.method, route, status: reply.statusCode })
    metrics.requestSeconds.observe({ method: request.method, route }, seconds)
    request.log.info(
      { method: request.method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
      'answered',
    )
  })
}

async function documentationRoutes(fastify: FastifyInstance, deps: Deps): Promise<void> {
  const document = documenting(fastify, deps)
  for (const url of ['/openapi.json', '/api/openapi.json']) {
    fastify.get(url, { schema: { hide: true } }, async () => document())
  }
  await fastify.register(async (docs) => {
    docs.addHook('onRequest', async (_request, reply) => {
      void reply.header(
        'content-security-policy',
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'",
      )
      void reply.header('cache-control', 'no-cache')
    })
    await docs.register(scalar, {
      routePrefix: '/docs',
      configuration: { title: 'Kolo API', withDefaultFonts: false, telemetry: false, hideClientButton: true } as never,
    })
  })
}
