import type { Api } from '../app.ts'
import { ById, refusing } from '../http/schemas.ts'
import { getOrganization, onlyOwn, updateOrganization } from './operations.ts'
import { OrganizationBody, OrganizationChange } from './schema.ts'

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
      onlyOwn(organizationId, params.id)
      return { data: await getOrganization(deps, organizationId) }
    },
  })

  app.patch('/v1/organizations/:id', {
    schema: {
      operationId: 'updateOrganization',
      summary: 'Change the name or the approval thresholds',
      description: 'Thresholds given are merged with those there are; `null` removes one.',
      tags: ['Organizations'],
      params: ById,
      body: OrganizationChange,
      response: { 200: OrganizationBody, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, actor, params, body }) => {
      onlyOwn(organizationId, params.id)
      return { data: await updateOrganization(deps, organizationId, actor, body) }
    },
  })
}
