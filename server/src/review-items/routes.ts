import type { Api } from '../app.ts'
import { ById, refusing } from '../http/schemas.ts'
import { getReviewItem, listReviewItems, resolveReviewItem } from './operations.ts'
import { Resolution, ReviewItemBody, ReviewItemPage, ReviewItemQuery } from './schema.ts'

export function reviewItemRoutes(app: Api): void {
  app.get('/v1/review-items', {
    schema: {
      operationId: 'listReviewItems',
      summary: 'List what a person has to decide about',
      tags: ['Review items'],
      querystring: ReviewItemQuery,
      response: { 200: ReviewItemPage, ...refusing() },
    },
    handler: async ({ deps, organizationId, query }) => ({ data: await listReviewItems(deps, organizationId, query) }),
  })

  app.get('/v1/review-items/:id', {
    schema: {
      operationId: 'getReviewItem',
      summary: 'Read a review item',
      tags: ['Review items'],
      params: ById,
      response: { 200: ReviewItemBody, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, params }) => ({
      data: await getReviewItem(deps, organizationId, params.id),
    }),
  })

  app.post('/v1/review-items/:id/resolve', {
    schema: {
      operationId: 'resolveReviewItem',
      summary: 'Decide about a review item',
      description: [
        'Money that came in (late_payment, wrong_amount, duplicate_payment): credit withholds the payment fee and puts the rest into the wallet; return sends it back, 202, and the item is returning until the provider confirms.',
        'A provider that is silent about a payment (unanswered_payment): credit says that the money is there, return that it never came.',
        'A provider that is silent about a payout, or contradicts itself (unanswered_payout): credit says that nobody was paid, the payout fails, and amount and fee go back into the wallet; return says that the beneficiary has the money, and the payout completes. A payment or payout that has come to its end meanwhile stays as it is.',
      ].join(' '),
      tags: ['Review items'],
      params: ById,
      body: Resolution,
      response: {
        200: ReviewItemBody,
        202: ReviewItemBody,
        ...refusing('not_found', 'member_required', 'review_item_not_open'),
      },
    },
    handler: async ({ deps, organizationId, actor, params, body }, reply) => {
      const item = await resolveReviewItem(deps, organizationId, actor, params.id, body)
      void reply.code(item.status === 'returning' ? 202 : 200)
      return { data: item }
    },
  })
}
