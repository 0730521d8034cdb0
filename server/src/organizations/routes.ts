import type { Api } from '../app.ts'
import { Refusal } from '../errors.ts'
import { ById, refusing } from '../http/schemas.ts'
import { getOrganization } from './operations.ts'
import { OrganizationBody } from './schema.ts'

export function organizationRoutes(app: Api): void {
  app.get('/v1/organizations/:id', {
    schema: {
      operationId: 'getOrganization',
      summary: 'Read your organization',
      tags: ['Organizations'],
      params: ById,
      response: { 200: OrganizationBody, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, params }) => {
      if (params.id.toLowerCase() !== organizationId) throw new Refusal('not_found')
      return { data: await getOrganization(deps, organizationId) }
    },
  })
}
