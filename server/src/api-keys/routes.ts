import type { Api } from '../app.ts'
import { ById, refusing } from '../http/schemas.ts'
import { onlyOwn } from '../organizations/operations.ts'
import { createApiKey, listApiKeys, refuseScopesBeyond, revokeApiKey } from './operations.ts'
import { ApiKeyBody, ApiKeyPage, ApiKeyQuery, ByKey, MadeApiKeyBody, NewApiKey } from './schema.ts'

export function apiKeyRoutes(app: Api): void {
  app.post('/v1/organizations/:id/api-keys', {
    config: { answersSecret: true },
    schema: {
      operationId: 'createApiKey',
      summary: 'Make an API key',
      description: 'The key is shown in this answer and never again.',
      tags: ['API keys'],
      params: ById,
      body: NewApiKey,
      response: { 201: MadeApiKeyBody, ...refusing('not_found') },
    },
    // Before a kept answer is given again: it carries a key, which is for those who may make it.
    preHandler: async ({ actor, body }) => refuseScopesBeyond(actor, body),
    handler: async ({ deps, organizationId, actor, params, body }) => {
      onlyOwn(organizationId, params.id)
      return { data: await createApiKey(deps, organizationId, actor, body) }
    },
  })

  app.get('/v1/organizations/:id/api-keys', {
    schema: {
      operationId: 'listApiKeys',
      summary: 'List API keys',
      tags: ['API keys'],
      params: ById,
      querystring: ApiKeyQuery,
      response: { 200: ApiKeyPage, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, params, query }) => {
      onlyOwn(organizationId, params.id)
      return { data: await listApiKeys(deps, organizationId, query) }
    },
  })

  app.delete('/v1/organizations/:id/api-keys/:keyId', {
    schema: {
      operationId: 'revokeApiKey',
      summary: 'Revoke an API key at once',
      tags: ['API keys'],
      params: ByKey,
      response: { 200: ApiKeyBody, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, actor, params }) => {
      onlyOwn(organizationId, params.id)
      return { data: await revokeApiKey(deps, organizationId, actor, params.keyId) }
    },
  })
}
