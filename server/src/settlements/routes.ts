import { Readable } from 'node:stream'
import type { Api } from '../app.ts'
import { ById, refusing } from '../http/schemas.ts'
import { listSettledPayments } from '../payments/operations/read.ts'
import { PaymentPage } from '../payments/schema.ts'
import { csvOfSettlement } from './export.ts'
import { getSettlement, listSettlements } from './operations.ts'
import { SettlementBody, SettlementCsv, SettlementPage, SettlementPaymentQuery, SettlementQuery } from './schema.ts'

export function settlementRoutes(app: Api): void {
  app.get('/v1/settlements', {
    schema: {
      operationId: 'listSettlements',
      summary: 'List settlements',
      tags: ['Settlements'],
      querystring: SettlementQuery,
      response: { 200: SettlementPage, ...refusing() },
    },
    handler: async ({ deps, organizationId, query }) => ({ data: await listSettlements(deps, organizationId, query) }),
  })

  app.get('/v1/settlements/:id', {
    schema: {
      operationId: 'getSettlement',
      summary: 'Read a settlement',
      tags: ['Settlements'],
      params: ById,
      response: { 200: SettlementBody, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, params }) => ({
      data: await getSettlement(deps, organizationId, params.id),
    }),
  })

  app.get('/v1/settlements/:id/payments', {
    schema: {
      operationId: 'listSettlementPayments',
      summary: 'List the payments of a settlement',
      tags: ['Settlements'],
      params: ById,
      querystring: SettlementPaymentQuery,
      response: { 200: PaymentPage, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, params, query }) => {
      await getSettlement(deps, organizationId, params.id)
      return { data: await listSettledPayments(deps, organizationId, params.id, query) }
    },
  })

  app.get('/v1/settlements/:id.csv', {
    schema: {
      operationId: 'getSettlementCsv',
      summary: 'Download the payments of a settlement as CSV',
      tags: ['Settlements'],
      params: ById,
      response: { 200: SettlementCsv, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, params }, reply) => {
      const { currency, settledOn } = await getSettlement(deps, organizationId, params.id)
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="settlement-${settledOn}-${currency}.csv"`)
        .send(Readable.from(csvOfSettlement(deps, organizationId, params.id)))
    },
  })
}
