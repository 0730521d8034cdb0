import type { Api } from '../app.ts'
import { invalid, Refusal } from '../errors.ts'
import { unfitIn } from '../http/json.ts'
import { ById, refusing } from '../http/schemas.ts'
import { onePerPlace } from '../http/validation.ts'
import { createPayouts, type BulkItem } from './operations/bulk.ts'
import { payoutCreation } from './operations/create.ts'
import { approvePayout, cancelPayout, rejectPayout } from './operations/decide.ts'
import { getPayout, listPayouts } from './operations/read.ts'
import { commandPayout } from './operations/sandbox.ts'
import * as schema from './schema.ts'

const tags = ['Payouts']
const BULK_LIMIT_BYTES = 8 * 1024 * 1024

const creating = [
  ...(['reference_taken', 'quote_expired', 'quote_used', 'quote_not_found', 'quote_mismatch'] as const),
  ...(['payout_account_not_found', 'payout_account_inactive', 'currency_mismatch', 'rate_unavailable'] as const),
  ...(['amount_too_small', 'amount_out_of_range', 'no_rail', 'insufficient_funds'] as const),
]

export function payoutRoutes(app: Api): void {
  creationRoutes(app)
  readingRoutes(app)
  decisionRoutes(app)
}

function creationRoutes(app: Api): void {
  const createPayout = payoutCreation()
  app.post('/v1/payouts', {
    schema: {
      operationId: 'createPayout',
      summary: 'Pay a beneficiary',
      tags,
      body: schema.NewPayout,
      response: { 201: schema.PayoutBody, ...refusing(...creating) },
    },
    handler: async ({ deps, organizationId, actor, body }) => ({
      data: await createPayout(deps, organizationId, actor, body),
    }),
  })

  const check = app.validatorCompiler!({
    schema: schema.NewPayout,
    httpPart: 'body',
    method: 'POST',
    url: '/v1/payouts',
  })
  const read = (item: unknown): BulkItem => {
    const named = (item as { reference?: unknown } | null)?.reference
    const reference = typeof named === 'string' ? named : null
    const { error } = check(item) as { error?: Error }
    if (error && !(error instanceof Refusal)) throw error
    const faults = onePerPlace([...unfitIn(item), ...(error?.extras.details ?? [])])
    return { reference, wish: faults.length > 0 ? invalid(...faults) : (item as schema.NewPayout) }
  }
  app.post('/v1/payouts/bulk', {
    bodyLimit: BULK_LIMIT_BYTES,
    config: { itemsIn: 'payouts' },
    schema: {
      operationId: 'createPayouts',
      summary: 'Pay up to 1,000 beneficiaries at once',
      description: 'Everything that can be accepted is, in order; each outcome says what became of its item.',
      tags,
      body: schema.BulkPayouts,
      response: { 200: schema.BulkOutcomesBody, ...refusing('no_rail') },
    },
    handler: async ({ deps, organizationId, actor, body }) => ({
      data: await createPayouts(deps, organizationId, actor, body.payouts.map(read)),
    }),
  })
}

function readingRoutes(app: Api): void {
  app.get('/v1/payouts', {
    schema: {
      operationId: 'listPayouts',
      summary: 'List payouts',
      tags,
      querystring: schema.PayoutQuery,
      response: { 200: schema.PayoutPage, ...refusing() },
    },
    handler: async ({ deps, organizationId, query }) => ({ data: await listPayouts(deps, organizationId, query) }),
  })

  app.get('/v1/payouts/:id', {
    schema: {
      operationId: 'getPayout',
      summary: 'Read a payout',
      tags,
      params: ById,
      response: { 200: schema.PayoutBody, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, params }) => ({ data: await getPayout(deps, organizationId, params.id) }),
  })
}

function decisionRoutes(app: Api): void {
  app.post('/v1/payouts/:id/approve', {
    schema: {
      operationId: 'approvePayout',
      summary: 'Approve a payout somebody else made',
      tags,
      params: ById,
      response: {
        200: schema.PayoutBody,
        ...refusing('member_required', 'role_missing', 'self_approval', 'not_found', 'payout_not_pending_approval'),
      },
    },
    handler: async ({ deps, organizationId, actor, params }) => ({
      data: await approvePayout(deps, organizationId, actor, params.id),
    }),
  })

  app.post('/v1/payouts/:id/reject', {
    schema: {
      operationId: 'rejectPayout',
      summary: 'Reject a payout that waits for approval',
      tags,
      params: ById,
      body: schema.Rejection,
      response: {
        200: schema.PayoutBody,
        ...refusing('member_required', 'role_missing', 'not_found', 'payout_not_pending_approval'),
      },
    },
    handler: async ({ deps, organizationId, actor, params, body }) => ({
      data: await rejectPayout(deps, organizationId, actor, params.id, body.reason ?? null),
    }),
  })

  app.post('/v1/payouts/:id/cancel', {
    schema: {
      operationId: 'cancelPayout',
      summary: 'Cancel a payout no provider was told of',
      tags,
      params: ById,
      response: {
        200: schema.PayoutBody,
        ...refusing('member_required', 'role_missing', 'not_found', 'payout_not_cancellable'),
      },
    },
    handler: async ({ deps, organizationId, actor, params }) => ({
      data: await cancelPayout(deps, organizationId, actor, params.id),
    }),
  })
}

export function payoutSandboxRoutes(app: Api): void {
  for (const command of schema.payoutCommands) {
    app.post(`/v1/sandbox/payouts/:id/${command}`, {
      config: { idempotency: 'none' },
      schema: {
        operationId: `${command}Payout`,
        summary: sandboxSummaries[command],
        description: 'Works as soon as a provider is told of the payout; the effect follows by its notice.',
        tags: ['Sandbox'],
        params: ById,
        response: {
          202: schema.CommandBody,
          ...refusing('not_found', 'payout_not_sent', 'sandbox_refused', 'sandbox_provider_unavailable'),
        },
      },
      handler: async ({ deps, organizationId, params }) => ({
        data: await commandPayout(deps, organizationId, params.id, command),
      }),
    })
  }
}

const sandboxSummaries = {
  complete: 'Let the provider say that it has paid',
  fail: 'Let the provider say that it could not pay',
  return: 'Let the provider send the money back',
} as const
