import { setTimeout as pause } from 'node:timers/promises'
import type { Api } from '../app.ts'
import { refusing } from '../http/schemas.ts'
import { onlyOwn } from '../organizations/operations.ts'
import { SECRET_FRESH_MS } from './signing.ts'
import * as operations from './operations.ts'
import * as schema from './schema.ts'

const path = '/organizations/:id/webhooks'
const tags = ['Webhooks']

/** What was signed with the old secret just before it was replaced is on its way by the time this has passed. */
async function untilOldSecretIsOut(): Promise<void> {
  await pause(SECRET_FRESH_MS * 1.5)
}

export function webhookRoutes(app: Api): void {
  endpointRoutes(app)
  deliveryRoutes(app)
}

function endpointRoutes(app: Api): void {
  app.post(path, {
    config: { idempotency: 'claimed', answersSecret: true },
    schema: {
      operationId: 'createWebhookEndpoint',
      summary: 'Register an endpoint for events',
      tags,
      params: schema.ByOrganization,
      body: schema.NewEndpoint,
      response: { 201: schema.CreatedEndpointBody, ...refusing('not_found', 'address_not_allowed') },
    },
    handler: async ({ deps, organizationId, actor, params, body }) => {
      onlyOwn(organizationId, params.id)
      return { data: await operations.createEndpoint(deps, organizationId, actor, body) }
    },
  })

  app.get(path, {
    schema: {
      operationId: 'listWebhookEndpoints',
      summary: 'List endpoints',
      tags,
      params: schema.ByOrganization,
      querystring: schema.EndpointQuery,
      response: { 200: schema.EndpointPage, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, params, query }) => {
      onlyOwn(organizationId, params.id)
      return { data: await operations.listEndpoints(deps, organizationId, query) }
    },
  })

  app.get(`${path}/:endpointId`, {
    schema: {
      operationId: 'getWebhookEndpoint',
      summary: 'Read an endpoint',
      tags,
      params: schema.ByEndpoint,
      response: { 200: schema.EndpointBody, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, params }) => {
      onlyOwn(organizationId, params.id)
      return { data: await operations.getEndpoint(deps, organizationId, params.endpointId) }
    },
  })

  app.patch(`${path}/:endpointId`, {
    schema: {
      operationId: 'updateWebhookEndpoint',
      summary: 'Change an endpoint; deactivating it cancels what waits',
      tags,
      params: schema.ByEndpoint,
      body: schema.EndpointChange,
      response: { 200: schema.EndpointBody, ...refusing('not_found', 'address_not_allowed') },
    },
    handler: async ({ deps, organizationId, actor, params, body }) => {
      onlyOwn(organizationId, params.id)
      return { data: await operations.changeEndpoint(deps, organizationId, actor, params.endpointId, body) }
    },
  })

  app.delete(`${path}/:endpointId`, {
    schema: {
      operationId: 'deleteWebhookEndpoint',
      summary: 'Delete an endpoint; what waits is cancelled, its deliveries stay readable',
      tags,
      params: schema.ByEndpoint,
      response: { 200: schema.EndpointBody, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, actor, params }) => {
      onlyOwn(organizationId, params.id)
      return { data: await operations.deleteEndpoint(deps, organizationId, actor, params.endpointId) }
    },
  })

  app.post(`${path}/:endpointId/rotate-secret`, {
    config: { answersSecret: true },
    onSend: untilOldSecretIsOut,
    schema: {
      operationId: 'rotateWebhookSecret',
      summary: 'Replace the signing secret; the old one is void at once',
      tags,
      params: schema.ByEndpoint,
      response: { 200: schema.RotatedBody, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, actor, params }) => {
      onlyOwn(organizationId, params.id)
      return { data: await operations.rotateSecret(deps, organizationId, actor, params.endpointId) }
    },
  })

  app.post(`${path}/:endpointId/test`, {
    schema: {
      operationId: 'testWebhookEndpoint',
      summary: 'Send a test event once',
      tags,
      params: schema.ByEndpoint,
      body: schema.TestWish,
      response: { 202: schema.DeliveryBody, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, params, body }) => {
      onlyOwn(organizationId, params.id)
      return { data: await operations.testEndpoint(deps, organizationId, params.endpointId, body) }
    },
  })
}

function deliveryRoutes(app: Api): void {
  app.get(`${path}/:endpointId/deliveries`, {
    schema: {
      operationId: 'listWebhookDeliveries',
      summary: 'List deliveries of an endpoint',
      tags,
      params: schema.ByEndpoint,
      querystring: schema.DeliveryQuery,
      response: { 200: schema.DeliveryPage, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, params, query }) => {
      onlyOwn(organizationId, params.id)
      return { data: await operations.listDeliveries(deps, organizationId, params.endpointId, query) }
    },
  })

  app.get(`${path}/:endpointId/deliveries/:deliveryId`, {
    schema: {
      operationId: 'getWebhookDelivery',
      summary: 'Read a delivery with its attempts and its payload',
      tags,
      params: schema.ByDelivery,
      response: { 200: schema.DeliveryBody, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, params }) => {
      onlyOwn(organizationId, params.id)
      return { data: await operations.getDelivery(deps, keyOf(organizationId, params)) }
    },
  })

  app.post(`${path}/:endpointId/deliveries/:deliveryId/resend`, {
    schema: {
      operationId: 'resendWebhookDelivery',
      summary: 'Send a delivery once more',
      tags,
      params: schema.ByDelivery,
      response: { 202: schema.DeliveryBody, ...refusing('not_found', 'endpoint_deleted', 'delivery_in_progress') },
    },
    handler: async ({ deps, organizationId, params }) => {
      onlyOwn(organizationId, params.id)
      return { data: await operations.resendDelivery(deps, keyOf(organizationId, params)) }
    },
  })

  app.post(`${path}/:endpointId/deliveries/resend`, {
    schema: {
      operationId: 'resendWebhookDeliveries',
      summary: 'Send everything that failed or was cancelled since an instant once more',
      tags,
      params: schema.ByEndpoint,
      body: schema.ResendMany,
      response: { 202: schema.QueuedBody, ...refusing('not_found', 'endpoint_deleted') },
    },
    handler: async ({ deps, organizationId, params, body }) => {
      onlyOwn(organizationId, params.id)
      return { data: await operations.resendDeliveries(deps, organizationId, params.endpointId, body) }
    },
  })
}

function keyOf(organizationId: string, { endpointId, deliveryId }: { endpointId: string; deliveryId: string }) {
  return { organizationId, endpointId: endpointId.toLowerCase(), id: deliveryId.toLowerCase() }
}
