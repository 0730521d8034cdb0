import type { Api } from '../app.ts'
import { refusing } from '../http/schemas.ts'
import { createQuote, listRates } from './operations.ts'
import { NewQuote, QuoteBody, RateList, RateQuery } from './schema.ts'

export function rateRoutes(app: Api): void {
  app.get('/v1/rates', {
    schema: {
      operationId: 'listRates',
      summary: 'List exchange rates',
      tags: ['Rates and quotes'],
      querystring: RateQuery,
      response: { 200: RateList, ...refusing() },
    },
    handler: async ({ deps, query }) => ({ data: await listRates(deps, query) }),
  })

  app.post('/v1/quotes', {
    schema: {
      operationId: 'createQuote',
      summary: 'Hold a rate for 60 seconds',
      tags: ['Rates and quotes'],
      body: NewQuote,
      response: { 201: QuoteBody, ...refusing('rate_unavailable', 'amount_too_small', 'amount_out_of_range') },
    },
    handler: async ({ deps, organizationId, body }) => ({ data: await createQuote(deps, organizationId, body) }),
  })
}
