import type { Api } from '../app.ts'
import { refusing } from '../http/schemas.ts'
import { lookUpRecipient } from './operations.ts'
import { ByPublicId, RecipientBody } from './schema.ts'

export function payoutRecipientRoutes(app: Api): void {
  app.get('/v1/payout-recipients/partnerwallet/:publicId', {
    schema: {
      operationId: 'lookUpPayoutRecipient',
      summary: 'Look up a partner-wallet user before creating a beneficiary',
      tags: ['Payout accounts'],
      params: ByPublicId,
      response: {
        200: RecipientBody,
        ...refusing('not_found', 'lookup_limit_reached', 'no_rail', 'verification_provider_unavailable'),
      },
    },
    handler: async ({ deps, organizationId, params }) => ({
      data: await lookUpRecipient(deps, organizationId, params.publicId),
    }),
  })
}
