import type { Api } from '../app.ts'
import { refusing } from '../http/schemas.ts'
import { listProviders } from './operations.ts'
import { ProviderPage, ProviderQuery } from './schema.ts'

export function payoutProviderRoutes(app: Api): void {
  app.get('/v1/payouts/providers', {
    schema: {
      operationId: 'listPayoutProviders',
      summary: 'List the banks and mobile-money operators payouts can go to',
      tags: ['Payout accounts'],
      querystring: ProviderQuery,
      response: { 200: ProviderPage, ...refusing('no_rail', 'directory_unavailable') },
    },
    handler: async ({ deps, query }) => ({ data: await listProviders(deps, query) }),
  })
}
