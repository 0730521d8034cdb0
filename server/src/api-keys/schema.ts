import { Type, type Static } from 'typebox'
import {
  dataOf,
  Id,
  Instant,
  nullable,
  oneOf,
  optional,
  pageOf,
  pageQuery,
  strict,
  Text,
  When,
} from '../http/schemas.ts'
import { keyScopes } from '../http/permissions.ts'

export const NewApiKey = strict({
  name: Text(),
  scopes: optional(
    Type.Array(oneOf(keyScopes), {
      minItems: 1,
      maxItems: keyScopes.length,
      uniqueItems: true,
      description: 'What the key may do; writing includes reading. Left out: everything (`*`).',
    }),
  ),
  expiresAt: optional(When),
})
export type NewApiKey = Static<typeof NewApiKey>

const fields = {
  id: Id,
  name: Type.String(),
  prefix: Type.String(),
  lastFour: Type.String(),
  scopes: Type.Array(Type.String()),
  createdBy: nullable(Type.String({ format: 'uuid', description: 'The member who made it.' })),
  createdAt: Instant,
  expiresAt: nullable(Instant),
  revokedAt: nullable(Instant),
  lastUsedAt: nullable(Instant),
}
export const ApiKey = Type.Object(fields)
export type ApiKey = Static<typeof ApiKey>
export const ApiKeyBody = dataOf(ApiKey)
export const MadeApiKeyBody = dataOf(
  Type.Object({ ...fields, key: Type.String({ description: 'The key itself, shown only in this answer.' }) }),
)
export const ApiKeyPage = pageOf('apiKeys', ApiKey)
export const ApiKeyQuery = pageQuery({})
export const ByKey = strict({ id: Id, keyId: Id })
