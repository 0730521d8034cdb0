import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import cors from '@fastify/cors'
import { fastify as createFastify, LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { errorBody, Refusal } from '../errors.ts'
import { answerError } from './errors.ts'

const BODY_LIMIT_BYTES = 1024 * 1024
/** A client that takes longer than this to send a request is holding a connection, not making one. */
const REQUEST_TIMEOUT_MS = 60_000
/** How often connections that have become idle are looked for while the server closes. */
const IDLE_SWEEP_MS = 50
const requestIdShape = /^[A-Za-z0-9._:-]{1,128}$/

const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'strict-transport-security': 'max-age=63072000; includeSubDomains',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

/** What pages of other origins, where they are allowed at all, may read of an answer beside its body. */
const exposedHeaders = [
  'X-Request-Id',
  'Idempotent-Replayed',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Allow',
  'WWW-Authenticate',
]

/**
 * While draining, what is under way or still arrives on an open connection is served, and the connection ends with it. An
 * answer on its way out when the drain began has said nothing of that: its connection is ended once it is idle.
 */
function endConnections(server: FastifyInstance, isDraining: () => boolean): void {
  server.addHook('onSend', async (_request, reply) => {
    if (isDraining()) void reply.header('connection', 'close')
  })
  server.addHook('preClose', async () => {
    const sweep = setInterval(() => server.server.closeIdleConnections(), IDLE_SWEEP_MS).unref()
    server.server.once('close', () => clearInterval(sweep))
  })
}

/** An HTTP server that answers every fault, also those before any route, with the one error body and a request id. */
export async function createServer(deps: Deps, isDraining: () => boolean): Promise<FastifyInstance> {
  const server: FastifyInstance = createFastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    trustProxy: deps.config.trustedProxies ?? false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    genReqId: requestIdOf,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // As long as a request line may be at all: what is too long for an id is for the route to say.
    routerOptions: { maxParamLength: 16 * 1024 },
    // A path that cannot be decoded never reaches a route, nor the hooks below.
    frameworkErrors: (error, request, reply) => {
      void reply.headers({ ...securityHeaders, 'x-request-id': request.id })
      answerError(error, request, reply)
    },
    clientErrorHandler: refuseUnreadable,
  })
  server.setErrorHandler(answerError)
  server.setNotFoundHandler(() => {
    throw new Refusal('route_not_found')
  })
  server.addHook('onRequest', async (request, reply) => {
    void reply.headers({ ...securityHeaders, 'x-request-id': request.id })
  })
  endConnections(server, isDraining)
  observe(server, deps)
  if (deps.config.corsOrigins) {
    await server.register(cors, {
      origin: [...deps.config.corsOrigins],
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      exposedHeaders,
      credentials: true,
      maxAge: 600,
      // An OPTIONS that is no preflight is an ordinary request, and there is no route for it.
      strictPreflight: false,
    })
  }
  // Before the body is looked at: that there is no such route is the first fault there is.
  server.addHook('onRequest', async (request) => {
    if (request.is404) throw new Refusal('route_not_found')
  })
  return server
}

function requestIdOf(raw: { headers: IncomingMessage['headers'] }): string {
  const own = raw.headers['x-request-id']
  return typeof own === 'string' && requestIdShape.test(own) ? own : randomUUID()
}

/** Counts and logs every answer: the route's pattern, never its address, which may carry personal data. */
function observe(server: FastifyInstance, { metrics }: Deps): void {
  server.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    const seconds = reply.elapsedTime / 1000
    metrics.requests.inc({ method: request.method, route, status: reply.statusCode })
    metrics.requestSeconds.observe({ method: request.method, route }, seconds)
    const { method, organizationId } = request
    const answer = { method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime), organizationId }
    request.log.info(answer, 'answered')
  })
}

/** Bytes that are no HTTP request: there is nothing to route, only a socket to answer on. */
function refuseUnreadable(error: { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const requestId = randomUUID()
  const message = 'The request is not valid HTTP, or its headers are too large.'
  const body = JSON.stringify(errorBody(new Refusal('invalid_request', { message }), requestId))
  const headers = {
    ...securityHeaders,
    'x-request-id': requestId,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  if (socket.writable) socket.write(`HTTP/1.1 400 Bad Request\r\n${head.join('')}\r\n${body}`)
  socket.destroySoon()
}
