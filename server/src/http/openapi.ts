import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import { keyPrefix } from '../api-keys/api-key.ts'
import type { Config } from '../config.ts'
import type { Deps } from '../deps.ts'
import type { RefusalCode } from '../errors.ts'
import { openapiWebhooks } from '../events/openapi.ts'
import { errorOverview, finishDocument } from './api-document.ts'
import { describePermission, permissions, type OperationId, type Permission } from './permissions.ts'
import { alsoRefusing } from './schemas.ts'

const about = `Customers, per-currency wallets on a double-entry ledger, virtual bank accounts, payment requests, payouts and signed webhooks.

Amounts are JSON numbers in major units. Lists are newest first. Every answer has an \`X-Request-Id\`.

## Repeating a request

Send an \`Idempotency-Key\` with a POST, and it is safe to send it again: for 24 hours the same key with the same request gets the first answer, byte for byte, with \`Idempotent-Replayed: true\`.

## Errors

A refusal has the shape \`{ "error": { type, code, message, param?, details?, requestId } }\`. Each operation lists the codes it can answer with; these are all of them, in the order in which they are found.

${errorOverview()}`

/** The description of the API, made from the routes' own schemas. */
export async function describeApi(app: FastifyInstance, config: Config): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Kolo',
        version: '1.0.0',
        description: about,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/api' }],
      security: [{ apiKey: [] }, { jwt: [] }],
      components: {
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description: `An API key of the organization; begins with ${keyPrefix(config.env)}.`,
          },
          jwt: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A token of a signed-in member.' },
        },
      },
      webhooks: openapiWebhooks() as never,
    },
    transform: ({ schema, url, route }) => ({
      schema: (schema.hide ? schema : withAccess(withCallRefusals(schema, route))) as never,
      url,
    }),
  })
}

/** Adds what is refused before the operation begins: a body that cannot be read, a key that was used before. */
function withCallRefusals(schema: FastifySchema, { method, config }: RouteOptions): FastifySchema {
  const codes: RefusalCode[] = []
  if (schema.body) codes.push('media_type_unsupported', 'body_too_large')
  if (method === 'POST' && config?.idempotency !== 'none')
    codes.push('idempotency_key_reused', 'idempotency_key_in_use')
  return { ...schema, response: alsoRefusing((schema.response ?? {}) as Record<string, TSchema>, codes) }
}

/** Says of an operation who may call it, out of the permission table. */
function withAccess(schema: FastifySchema): FastifySchema {
  const permission: Permission = permissions[schema.operationId as OperationId]
  const { scope, roles, isPublic } = permission
  const about = (schema as { description?: string }).description
  return {
    ...schema,
    description: [about, describePermission(permission)].filter(Boolean).join('\n\n'),
    security: isPublic ? [] : [{ apiKey: [] }, { jwt: [] }],
    ...(!isPublic && { 'x-scope': scope, 'x-roles': roles }),
  } as FastifySchema
}

/** Answers the whole document, made once, with the address this deployment is reached at. */
export function documenting(app: FastifyInstance, { config, publicUrl }: Pick<Deps, 'config' | 'publicUrl'>) {
  let finished: object | undefined
  return (): object => {
    finished ??= finishDocument(app.swagger())
    return { ...finished, servers: [{ url: `${publicUrl()}/api`, description: config.env }] }
  }
}
