import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { apiKeyRoutes } from './api-keys/routes.ts'
import { auditLogRoutes } from './audit-log/routes.ts'
import { invitePages } from './auth/invite-page.ts'
import { authRoutes } from './auth/routes.ts'
import { customerRoutes } from './customers/routes.ts'
import { checkoutRoutes } from './checkout/routes.ts'
import type { Deps } from './deps.ts'
import { eventRoutes } from './events/routes.ts'
import { authentication } from './http/authentication.ts'
import { answerError } from './http/errors.ts'
import { parseJson } from './http/json.ts'
import { documentationRoutes } from './http/documentation.ts'
import { describeApi } from './http/openapi.ts'
import { operationalRoutes, type Phase } from './http/operational.ts'
import { prepareRoutes, refuseOtherMethods } from './http/routing.ts'
import { serializerCompiler } from './http/serialization.ts'
import { createServer } from './http/server.ts'
import { allFaults, validatorCompiler } from './http/validation.ts'
import { memberRoutes } from './members/routes.ts'
import { organizationRoutes } from './organizations/routes.ts'
import type { ClockMover } from './sandbox/operations.ts'
import { clockRoutes } from './sandbox/routes.ts'
import { noticeRoutes } from './rails/inbox/routes.ts'
import { paymentRoutes, paymentSandboxRoutes } from './payments/routes.ts'
import { payoutAccountRoutes } from './payout-accounts/routes.ts'
import { payoutProviderRoutes } from './payout-providers/routes.ts'
import { payoutRoutes, payoutSandboxRoutes } from './payouts/routes.ts'
import { payoutRecipientRoutes } from './payout-recipients/routes.ts'
import { reviewItemRoutes } from './review-items/routes.ts'
import { settlementRoutes } from './settlements/routes.ts'
import { transferRoutes } from './transfers/routes.ts'
import { virtualAccountRoutes, virtualAccountSandboxRoutes } from './virtual-accounts/routes.ts'
import { walletRoutes, walletSandboxRoutes } from './wallets/routes.ts'
import { rateRoutes } from './rates/routes.ts'
import { inboxRoutes } from './webhooks/inbox/routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'

/** The API's routes, by name. Each noun adds its own. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

export type App = { readonly fastify: FastifyInstance; enter(phase: Phase): void }

/** The HTTP side of a process: the API where `mover` is given, and in every role what operators ask. */
export async function createApp(deps: Deps, isHeard: () => boolean, mover?: ClockMover): Promise<App> {
  let phase: Phase = 'starting'
  const fastify = await createServer(deps, () => phase === 'draining')
  const addFallbacks = refuseOtherMethods(fastify)
  operationalRoutes(fastify, deps, { phase: () => phase, isHeard })
  if (mover) {
    await describeApi(fastify, deps.config)
    await fastify.register(async (api) => addApi(api, deps, mover), { prefix: '/api' })
    await fastify.register((rails) => noticeRoutes(rails, deps))
    await fastify.register((pages) => checkoutRoutes(pages, deps), { prefix: '/pay' })
    await fastify.register(async (pages) => invitePages(pages, deps))
    if (deps.config.env === 'local') await fastify.register((pages) => inboxRoutes(pages, deps), { prefix: '/inbox' })
    await documentationRoutes(fastify, deps)
  }
  addFallbacks()
  await fastify.ready()
  return { fastify, enter: (next) => (phase = next) }
}

/** Everything under `{base_url}`, in the order of faults: route, credential, permission, body, shape, then the operation. */
function addApi(instance: FastifyInstance, deps: Deps, mover: ClockMover): void {
  const api = instance as Api
  api.setValidatorCompiler(validatorCompiler(deps.config))
  api.setSerializerCompiler(serializerCompiler())
  api.removeAllContentTypeParsers()
  api.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    request.rawBody = body
    if (body.length === 0) return done(null, undefined)
    try {
      const { value, faults } = parseJson(body, request.routeOptions.config.itemsIn)
      request.bodyFaults = faults
      done(null, value)
    } catch (error) {
      done(error as Error)
    }
  })
  api.decorateRequest('rawBody', null)
  api.decorateRequest('bodyFaults', null)
  api.setErrorHandler((error: Error, request, reply) => answerError(allFaults(error, request), request, reply))
  api.addHook('onRequest', authentication(deps))
  prepareRoutes(instance, deps)
  authRoutes(api)
  organizationRoutes(api)
  memberRoutes(api)
  apiKeyRoutes(api)
  auditLogRoutes(api)
  walletRoutes(api)
  rateRoutes(api)
  transferRoutes(api)
  paymentRoutes(api, deps)
  payoutRoutes(api)
  settlementRoutes(api)
  reviewItemRoutes(api)
  payoutProviderRoutes(api)
  payoutRecipientRoutes(api)
  payoutAccountRoutes(api)
  customerRoutes(api)
  virtualAccountRoutes(api)
  eventRoutes(api)
  webhookRoutes(api)
  if (deps.config.env !== 'production') {
    walletSandboxRoutes(api)
    paymentSandboxRoutes(api)
    virtualAccountSandboxRoutes(api)
    payoutSandboxRoutes(api)
  }
  if (deps.config.env === 'local') clockRoutes(api, mover)
}
