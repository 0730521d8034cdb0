import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { witness } from '../audit-log/operations.ts'
import { invalid, Refusal, type FaultDetail } from '../errors.ts'
import type { Deps } from '../deps.ts'
import { answerOnce, type IdempotencyMode } from './idempotency.ts'
import { hasNul } from './json.ts'
import { permissions, type OperationId } from './permissions.ts'
import { strict } from './schemas.ts'
import { answeringTogether } from './together.ts'
import { shapeFaults } from './validation.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** See IdempotencyMode; only POST routes have one. */
    idempotency?: IdempotencyMode
    /** The answer carries a secret: kept encrypted under idempotency. */
    answersSecret?: boolean
    /** The list of the body whose items the route judges one by one: what is wrong in one of them spoils no other. */
    itemsIn?: string
    /** Answers 405 for the methods a known path does not take. */
    isFallback?: boolean
  }
  interface FastifySchema {
    operationId?: string
  }
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/**
 * Every route of the API: its operation has a row in the permission table, its success status is the one its schema
 * names, and a POST is answered once per Idempotency-Key.
 */
export function prepareRoutes(app: FastifyInstance, deps: Deps): void {
  app.addHook('onRoute', (route) => {
    const operationId = route.schema?.operationId
    if (!operationId || !Object.hasOwn(permissions, operationId))
      throw new Error(`${String(route.method)} ${route.url} has no row in the permission table.`)
    route.config = { ...route.config, operationId: operationId as OperationId }
    // A route that names no query takes none, and one that names no body takes none: what it would ignore is a mistake.
    route.schema = { querystring: strict({}), ...route.schema }
    const takesBody = route.schema.body !== undefined
    route.preValidation = [route.preValidation ?? [], readShape(takesBody)].flat()
    const handler = route.handler
    const success = successStatus(route)
    const written = route.config.together && answeringTogether(deps, route.config.together)
    route.handler = function (request, reply) {
      void reply.code(success)
      const run = (scoped: Deps) =>
        witnessed(scoped, request, async (own) => {
          request.deps = own
          return handler.call(this, request, reply) as unknown
        })
      if (request.method !== 'POST') return run(deps)
      // An act of a member is witnessed in a transaction of its own.
      return answerOnce(deps, request, reply, run, request.actor?.type === 'key' ? written : undefined)
    }
  })
}

/** Writes of members go into the audit log. Sign-in records itself, and the sandbox moves no real money. */
function witnessed(deps: Deps, request: FastifyRequest, run: (deps: Deps) => Promise<unknown>): Promise<unknown> {
  const { actor, organizationId, method, routeOptions } = request
  const { operationId, idempotency } = routeOptions.config
  const isRead = method === 'GET' || method === 'HEAD'
  if (isRead || actor?.type !== 'member' || !operationId || idempotency === 'none') return run(deps)
  const resourceType = resourceOf(routeOptions.url ?? '')
  return witness(deps, { organizationId, actor, action: operationId, resourceType }, run)
}

/** The noun of a route: /v1/payout-accounts/:id is about a payout_account, /v1/payments/:id/cancel about a payment. */
function resourceOf(url: string): string {
  const nouns = url.split('/').filter((part) => part.endsWith('s') && !part.startsWith(':'))
  return (nouns.at(-1) ?? 'organizations').slice(0, -1).replaceAll('-', '_')
}

/** What no schema sees, before the schemas: a NUL in the address, a body that is not there or should not be. */
function readShape(takesBody: boolean) {
  return async (request: FastifyRequest): Promise<void> => {
    // No body at all is told which fields it lacks, like an empty one.
    if (takesBody && request.body === undefined) request.body = {}
    const unseen = [...nulFaults(request), ...(takesBody ? [] : unexpectedFields(request))]
    if (unseen.length > 0 || (request.bodyFaults ?? []).length > 0) throw invalid(...unseen, ...shapeFaults(request))
  }
}

/** A NUL in the address would reach the database, which keeps none; in a body the parser finds it. */
function nulFaults({ query, params, url }: FastifyRequest): FaultDetail[] {
  if (!url.includes('%00')) return []
  const values = Object.entries({ ...(query as object), ...(params as object) }) as [string, unknown][]
  const faults = values.filter(([name, value]) => hasNul(name) || [value].flat().some((text) => hasNul(String(text))))
  return faults.map(([param]) => ({ param, message: 'must not contain a NUL character' }))
}

function unexpectedFields({ body }: FastifyRequest): FaultDetail[] {
  if (body === undefined || body === null) return []
  const names = typeof body === 'object' ? Object.keys(body) : ['body']
  return names.map((param) => ({ param, message: 'is not a known field here' }))
}

function successStatus(route: RouteOptions): number {
  const statuses = Object.keys((route.schema?.response ?? {}) as object).filter((status) => status.startsWith('2'))
  return Number(statuses.at(-1) ?? 200)
}

/**
 * Remembers which methods each path of the server takes, those of its parts too; the answer, called after the last
 * route, makes the others a 405 that says which.
 */
export function refuseOtherMethods(app: FastifyInstance): () => void {
  const taken = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method, config }) => {
    // A path that is every path is known to nobody.
    if (config?.isFallback || url === '*') return
    taken.set(url, new Set([...(taken.get(url) ?? []), ...[method].flat()]))
  })
  return () => {
    for (const [url, known] of taken) {
      const headers = { allow: [...known].toSorted().join(', ') }
      app.route({
        url,
        method: methods.filter((method) => !known.has(method)),
        config: { isFallback: true },
        schema: { hide: true },
        // Before the body is looked at: the method is the first fault there is.
        onRequest: async () => {
          throw new Refusal('method_not_allowed', { headers })
        },
        handler: async () => undefined,
      })
    }
  }
}
