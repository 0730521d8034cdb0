import type { Db, Tx } from '../db/database.ts'
import { listPage, type Page, type PageQuery } from '../db/paging.ts'
import { sql } from '../db/sql.ts'

export type NewApiKey = {
  organizationId: string
  id: string
  name: string
  hash: Buffer
  prefix: string
  lastFour: string
  scopes: readonly string[]
  createdBy: string | null
  createdAt: Date
  expiresAt: Date | null
}

export type ApiKeyRow = Omit<NewApiKey, 'hash' | 'organizationId' | 'scopes'> & {
  scopes: string[]
  revokedAt: Date | null
  lastUsedAt: Date | null
}

export type KeyHolder = {
  organizationId: string
  apiKeyId: string
  scopes: string[]
  createdBy: string | null
  expiresAt: Date | null
  revokedAt: Date | null
}

const insertApiKeySql = sql`
  with key as (
    insert into api_keys (organization_id, id, name, prefix, last_four, scopes, created_by, created_at, expires_at)
    values ($1, $2, $3, $5, $6, $7, $8, $9, $10))
  insert into api_key_directory (hash, organization_id, api_key_id) values ($4, $1, $2)`

export async function insertApiKey(tx: Tx, key: NewApiKey): Promise<void> {
  const { organizationId, id, name, hash, prefix, lastFour, scopes, createdBy, createdAt, expiresAt } = key
  const values = [organizationId, id, name, hash, prefix, lastFour, scopes, createdBy, createdAt, expiresAt]
  await tx.many(insertApiKeySql, values)
}

const findKeyHolderSql = sql<KeyHolder>`
  select k.organization_id as "organizationId", k.id as "apiKeyId", k.scopes, k.created_by as "createdBy",
         k.expires_at as "expiresAt", k.revoked_at as "revokedAt"
    from api_key_directory d
    join api_keys k on k.organization_id = d.organization_id and k.id = d.api_key_id
    join organizations o on o.id = k.organization_id and o.is_active
   where d.hash = $1`

export function findKeyHolder(db: Db, hash: Buffer): Promise<KeyHolder | undefined> {
  return db.maybe(findKeyHolderSql, [hash])
}

const touchApiKeySql = sql`
  update api_keys set last_used_at = $3
   where organization_id = $1 and id = $2 and (last_used_at is null or last_used_at < $3::timestamptz - interval '1 minute')`

/** Notes the use of a key, to the minute: a busy key costs one small write a minute. */
export async function touchApiKey(tx: Tx, organizationId: string, id: string, at: Date): Promise<void> {
  await tx.many(touchApiKeySql, [organizationId, id, at])
}

const columns = `
  id, name, prefix, last_four as "lastFour", scopes, created_by as "createdBy", created_at as "createdAt",
  expires_at as "expiresAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt"`

export function listApiKeys(db: Db, organizationId: string, query: PageQuery): Promise<Page<ApiKeyRow>> {
  const ofOrganization = { text: 'organization_id = ?', value: organizationId }
  return listPage(db, { columns, from: 'api_keys', id: 'id' }, [ofOrganization], query)
}

const lockApiKeySql = sql<ApiKeyRow>`
  select ${columns} from api_keys where organization_id = $1 and id = $2 for update`

export function lockApiKey(tx: Tx, organizationId: string, id: string): Promise<ApiKeyRow | undefined> {
  return tx.maybe(lockApiKeySql, [organizationId, id])
}

const revokeApiKeySql = sql`update api_keys set revoked_at = $3 where organization_id = $1 and id = $2`

export async function revokeApiKey(tx: Tx, organizationId: string, id: string, at: Date): Promise<void> {
  await tx.many(revokeApiKeySql, [organizationId, id, at])
}
