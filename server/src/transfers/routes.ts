import type { Api } from '../app.ts'
import { ById, refusing } from '../http/schemas.ts'
import { createTransfer, getTransfer, listTransfers } from './operations.ts'
import { NewTransfer, TransferBody, TransferPage, TransferQuery } from './schema.ts'

export function transferRoutes(app: Api): void {
  app.post('/v1/transfers', {
    schema: {
      operationId: 'createTransfer',
      summary: 'Move money between your wallets or to another organization',
      tags: ['Transfers'],
      body: NewTransfer,
      response: {
        201: TransferBody,
        ...refusing(
          ...([
            'reference_taken',
            'quote_expired',
            'quote_used',
            'quote_not_found',
            'quote_mismatch',
            'destination_not_found',
          ] as const),
          ...(['rate_unavailable', 'amount_too_small', 'amount_out_of_range', 'insufficient_funds'] as const),
        ),
      },
    },
    handler: async ({ deps, organizationId, actor, body }) => ({
      data: await createTransfer(deps, organizationId, actor, body),
    }),
  })

  app.get('/v1/transfers', {
    schema: {
      operationId: 'listTransfers',
      summary: 'List transfers',
      tags: ['Transfers'],
      querystring: TransferQuery,
      response: { 200: TransferPage, ...refusing() },
    },
    handler: async ({ deps, organizationId, query }) => ({ data: await listTransfers(deps, organizationId, query) }),
  })

  app.get('/v1/transfers/:id', {
    schema: {
      operationId: 'getTransfer',
      summary: 'Read a transfer',
      tags: ['Transfers'],
      params: ById,
      response: { 200: TransferBody, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, params }) => ({ data: await getTransfer(deps, organizationId, params.id) }),
  })
}
