import { Type, type Static } from 'typebox'
import { eventTypes } from '../events/catalogue.ts'
import {
  createdRange,
  dataOf,
  Id,
  Instant,
  nullable,
  oneOf,
  optional,
  pageOf,
  pageQuery,
  strict,
  Text,
  When,
} from '../http/schemas.ts'
import { signaturePrefixes } from './signing.ts'
import { deliveryStatuses } from './states.ts'

const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'Absolute http or https URL without user name or password; https only in production.',
})

const Events = Type.Array(Type.String(), {
  minItems: 1,
  maxItems: 100,
  description: '["*"] for every type, or exact types of the catalogue.',
})

const HeadersIn = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: 20,
  additionalProperties: { type: 'string', maxLength: 1024 },
  description: 'Sent with each delivery. Not Host, Content-*, X-Webhook-* or hop-by-hop ones.',
})

const changeable = {
  events: optional(Events),
  description: optional(Text()),
  signaturePrefix: optional(oneOf(signaturePrefixes)),
  headers: optional(HeadersIn),
  isActive: Type.Optional(Type.Boolean()),
}

export const NewEndpoint = strict({
  url: Url,
  ...changeable,
  secret: optional(
    Type.String({
      minLength: 16,
      maxLength: 256,
      description: 'Left out: the service makes one and returns it once. null: deliveries are not signed.',
    }),
  ),
})
export type NewEndpoint = Static<typeof NewEndpoint>

export const EndpointChange = strict({ url: Type.Optional(Url), ...changeable })
export type EndpointChange = Static<typeof EndpointChange>

const endpoint = {
  id: Id,
  url: Type.String(),
  events: Type.Array(Type.String()),
  description: nullable(Type.String()),
  hasSigningSecret: Type.Boolean(),
  signaturePrefix: oneOf(signaturePrefixes),
  headers: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Names as given, values masked.',
  }),
  isActive: Type.Boolean(),
  createdAt: Instant,
  updatedAt: Instant,
  lastSuccessAt: nullable(Instant),
  lastFailureAt: nullable(Instant),
  consecutiveFailures: Type.Integer(),
}

export const Endpoint = Type.Object(endpoint)
export type Endpoint = Static<typeof Endpoint>
export const EndpointBody = dataOf(Endpoint)
export const EndpointPage = pageOf('endpoints', Endpoint)
export const EndpointQuery = pageQuery({})

export const CreatedEndpointBody = dataOf(
  Type.Object({
    ...endpoint,
    secret: Type.Optional(Type.String({ description: 'Only where the service made it, and only in this answer.' })),
  }),
)

export const RotatedBody = dataOf(Type.Object({ id: Id, secret: Type.String(), rotatedAt: Instant }))

const delivery = {
  id: Id,
  endpointId: Id,
  eventId: Id,
  eventType: Type.String(),
  status: oneOf(deliveryStatuses),
  attemptCount: Type.Integer(),
  nextAttemptAt: nullable(Instant),
  createdAt: Instant,
  completedAt: nullable(Instant),
}

export const DeliveryItem = Type.Object(delivery)
export type DeliveryItem = Static<typeof DeliveryItem>

const Attempt = Type.Object({
  number: Type.Integer(),
  trigger: oneOf(['automatic', 'manual']),
  at: Instant,
  durationMs: Type.Integer(),
  responseStatus: nullable(Type.Integer()),
  responseBody: nullable(Type.String({ description: 'The first 4 KiB.' })),
  error: nullable(Type.String()),
})

export const Delivery = Type.Object({
  ...delivery,
  attempts: Type.Array(Attempt),
  payload: Type.String({ description: 'The exact body that is signed and sent.' }),
})
export type Delivery = Static<typeof Delivery>
export const DeliveryBody = dataOf(Delivery)
export const DeliveryPage = pageOf('deliveries', DeliveryItem)
export const DeliveryQuery = pageQuery({
  status: Type.Optional(oneOf(deliveryStatuses)),
  eventType: Type.Optional(oneOf(eventTypes)),
  ...createdRange,
})
export type DeliveryQuery = Static<typeof DeliveryQuery>

export const ResendMany = strict({ status: oneOf(['failed', 'cancelled']), since: When })
export type ResendMany = Static<typeof ResendMany>
export const QueuedBody = dataOf(Type.Object({ queued: Type.Integer() }))

export const TestWish = nullable(strict({ eventType: optional(oneOf(eventTypes)) }))
export type TestWish = Static<typeof TestWish>

export const ByOrganization = strict({ id: Id })
export const ByEndpoint = strict({ id: Id, endpointId: Id })
export const ByDelivery = strict({ id: Id, endpointId: Id, deliveryId: Id })
