import { Type } from 'typebox'
import { catalogue } from './catalogue.ts'

/** The `webhooks` of the API description: one entry per type of event, keyed by it. */
export function openapiWebhooks(): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(catalogue).map(([type, { about, schema }]) => [
      type,
      {
        post: {
          operationId: `on_${type.replace('.', '_')}`,
          summary: about,
          tags: ['Webhooks'],
          requestBody: { content: { 'application/json': { schema: envelopeOf(type, schema) } } },
          responses: {
            '2XX': { description: 'Any 2xx within 30 seconds: the delivery is done. Anything else is tried again.' },
          },
        },
      },
    ]),
  )
}

export function envelopeOf(type: string, data: object) {
  return Type.Object({
    id: Type.String({ format: 'uuid' }),
    type: Type.Literal(type),
    createdAt: Type.String({ format: 'date-time' }),
    data: Type.Unsafe(data),
  })
}
