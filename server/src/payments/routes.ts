import type { FastifyRequest } from 'fastify'
import type { Api } from '../app.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import { ById, refusing } from '../http/schemas.ts'
import { listMethods } from './methods.ts'
import { cancelPayment, endBeforeCancel, refreshLink } from './operations/cancel.ts'
import { commandPayment } from './operations/command.ts'
import { createPayment, createPayments, type Request } from './operations/create.ts'
import { createPaymentReader, listPayments } from './operations/read.ts'
import {
  FreshLinkBody,
  NewPayment,
  type Payment,
  PaymentBody,
  PaymentMethodList,
  PaymentMethodQuery,
  PaymentPage,
  PaymentQuery,
  SandboxBody,
  SandboxCommand,
  sandboxSteps,
} from './schema.ts'

export function paymentRoutes(app: Api, everyDeps: Deps): void {
  const getPayment = createPaymentReader()

  app.post('/v1/payments', {
    config: { together: async (deps, requests) => (await createPayments(deps, requests.map(wishOf))).map(bodyOf) },
    schema: {
      operationId: 'createPayment',
      summary: 'Ask for a payment',
      description: 'Answers with the link to send to the payer.',
      tags: ['Payments'],
      body: NewPayment,
      response: {
        201: PaymentBody,
        ...refusing(
          ...(['reference_taken', 'quote_expired', 'quote_used', 'quote_not_found', 'quote_mismatch'] as const),
          ...(['customer_not_found', 'customer_inactive', 'rate_unavailable', 'amount_too_small'] as const),
          ...(['amount_out_of_range', 'no_rail'] as const),
        ),
      },
    },
    handler: async (request) => ({ data: await createPayment(request.deps, wishOf(request)) }),
  })

  app.get('/v1/payments', {
    schema: {
      operationId: 'listPayments',
      summary: 'List payments',
      tags: ['Payments'],
      querystring: PaymentQuery,
      response: { 200: PaymentPage, ...refusing() },
    },
    handler: async ({ deps, organizationId, query }) => ({ data: await listPayments(deps, organizationId, query) }),
  })

  app.get('/v1/payments/payment-methods', {
    schema: {
      operationId: 'listPaymentMethods',
      summary: 'List the payment methods you may offer for a source currency',
      tags: ['Payments'],
      querystring: PaymentMethodQuery,
      response: { 200: PaymentMethodList, ...refusing('no_rail') },
    },
    handler: async ({ deps, query }) => ({ data: listMethods(deps, query.sourceCurrency) }),
  })

  app.get('/v1/payments/:id', {
    schema: {
      operationId: 'getPayment',
      summary: 'Read a payment',
      description: 'A payment that stands with a provider is synchronised first; syncedAt tells when it answered.',
      tags: ['Payments'],
      params: ById,
      response: { 200: PaymentBody, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, params }) => ({ data: await getPayment(deps, organizationId, params.id) }),
  })

  app.post('/v1/payments/:id/cancel', {
    config: { idempotency: 'claimed' },
    schema: {
      operationId: 'cancelPayment',
      summary: 'Cancel a payment nobody has finished paying',
      tags: ['Payments'],
      params: ById,
      response: { 200: PaymentBody, ...refusing('not_found', 'payment_not_cancellable') },
    },
    handler: async ({ deps, organizationId, params }) => {
      // What the provider says is kept whatever this request answers, so it is not part of its transaction.
      await endBeforeCancel(everyDeps, organizationId, params.id)
      return { data: await cancelPayment(deps, organizationId, params.id) }
    },
  })

  app.post('/v1/payments/:id/refresh-link', {
    schema: {
      operationId: 'refreshPaymentLink',
      summary: 'Replace the link token of an open payment',
      tags: ['Payments'],
      params: ById,
      response: { 200: FreshLinkBody, ...refusing('not_found', 'payment_not_open') },
    },
    handler: async ({ deps, organizationId, params }) => ({ data: await refreshLink(deps, organizationId, params.id) }),
  })
}

function wishOf({ organizationId, actor, body }: FastifyRequest): Request {
  return { organizationId, actor, wish: body as NewPayment }
}

function bodyOf(end: Payment | Refusal): object {
  return end instanceof Refusal ? end : { data: end }
}

/** In local and sandbox the payer and the provider can be told what to do. */
export function paymentSandboxRoutes(app: Api): void {
  for (const step of sandboxSteps) {
    app.post(`/v1/sandbox/payments/:id/${step}`, {
      config: { idempotency: 'none' },
      schema: {
        operationId: `${step}Payment`,
        summary: sandboxSummaries[step],
        description:
          'Works in every state; the effect follows by the notice of the built-in provider. With amount the payer sends another sum, with a transactionReference of its own a second transfer.',
        tags: ['Sandbox'],
        params: ById,
        body: SandboxCommand,
        response: { 202: SandboxBody, ...refusing('not_found', 'sandbox_refused', 'sandbox_provider_unavailable') },
      },
      handler: async ({ deps, organizationId, params, body }) => ({
        data: await commandPayment(deps, organizationId, params.id, step, body),
      }),
    })
  }
}

const sandboxSummaries = {
  authorise: 'Let the provider say that the payer is asked to approve',
  initiate: "Let the provider accept the payer's instruction",
  execute: 'Let the provider receive the money',
  settle: 'Let the provider settle',
  fail: 'Let the provider reject the payment for good',
} as const
