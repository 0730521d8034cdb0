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
      description:
        'credit: the payment fee is withheld and the rest goes into the wallet. return: the money is sent back; 202, and returning until the provider confirms. For silence, credit says that the money is there, return that it never came.',
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
