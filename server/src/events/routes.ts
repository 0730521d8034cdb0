import type { Api } from '../app.ts'
import { ById, refusing } from '../http/schemas.ts'
import { getEvent, listEvents } from './operations.ts'
import { EventBody, EventPage, EventQuery } from './schema.ts'

export function eventRoutes(app: Api): void {
  app.get('/v1/events', {
    schema: {
      operationId: 'listEvents',
      summary: 'List events of the last 90 days',
      tags: ['Events'],
      querystring: EventQuery,
      response: { 200: EventPage, ...refusing() },
    },
    handler: async ({ deps, organizationId, query }) => ({ data: await listEvents(deps, organizationId, query) }),
  })

  app.get('/v1/events/:id', {
    schema: {
      operationId: 'getEvent',
      summary: 'Read an event',
      tags: ['Events'],
      params: ById,
      response: { 200: EventBody, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, params }) => ({ data: await getEvent(deps, organizationId, params.id) }),
  })
}
