import type { Api } from '../app.ts'
import { ById, refusing } from '../http/schemas.ts'
import { onlyOwn } from '../organizations/operations.ts'
import { listAuditEntries } from './operations.ts'
import { AuditPage, AuditQuery } from './schema.ts'

export function auditLogRoutes(app: Api): void {
  app.get('/v1/organizations/:id/audit-log', {
    schema: {
      operationId: 'listAuditEntries',
      summary: 'Read the audit log',
      tags: ['Organizations'],
      params: ById,
      querystring: AuditQuery,
      response: { 200: AuditPage, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, params, query }) => {
      onlyOwn(organizationId, params.id)
      return { data: await listAuditEntries(deps, organizationId, query) }
    },
  })
}
