import type { Db, Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Role } from './schema.ts'

export type OrganizationRow = {
  id: string
  name: string
  isActive: boolean
  approvalThresholds: Record<string, string>
  createdAt: Date
  updatedAt: Date
}

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

export type KeyHolder = {
  organizationId: string
  apiKeyId: string
  scopes: string[]
  createdBy: string | null
  expiresAt: Date | null
  revokedAt: Date | null
}

const insertOrganizationSql = sql`
  insert into organizations (id, name, created_at, updated_at) values ($1, $2, $3, $3)`

export async function insertOrganization(tx: Tx, id: string, name: string, at: Date): Promise<void> {
  await tx.many(insertOrganizationSql, [id, name, at])
}

const findOrganizationSql = sql<OrganizationRow>`
  select id, name, is_active as "isActive", approval_thresholds as "approvalThresholds",
         created_at as "createdAt", updated_at as "updatedAt"
    from organizations where id = $1`

export function findOrganization(db: Db, id: string): Promise<OrganizationRow | undefined> {
  return db.maybe(findOrganizationSql, [id])
}

const countOrganizationsSql = sql<{ count: number }>`select count(*)::integer as count from organizations`

export async function countOrganizations(db: Db): Promise<number> {
  return (await db.one(countOrganizationsSql)).count
}

const setOrganizationActiveSql = sql<{ id: string }>`
  update organizations set is_active = $2, updated_at = $3 where id = $1 returning id`

export async function setOrganizationActive(tx: Tx, id: string, isActive: boolean, at: Date): Promise<boolean> {
  return (await tx.many(setOrganizationActiveSql, [id, isActive, at])).length === 1
}

const insertApiKeySql = sql`
  with key as (
    insert into api_keys (organization_id, id, name, prefix, last_four, scopes, created_by, created_at, expires_at)
    values ($1, $2, $3, $5, $6, $7, $8, $9, $10))
  insert into api_key_directory (hash, organization_id, api_key_id) values ($4, $1, $2)`

export async function insertApiKey(tx: Tx, key: NewApiKey): Promise<void> {
  const { organizationId, id, name, hash, prefix, lastFour, scopes, createdBy, createdAt, expiresAt } = key
  await tx.many(insertApiKeySql, [
    organizationId,
    id,
    name,
    hash,
    prefix,
    lastFour,
    scopes,
    createdBy,
    createdAt,
    expiresAt,
  ])
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

export type NewMember = {
  organizationId: string
  id: string
  email: string
  name: string
  role: Role
  passwordHash: string | null
  createdAt: Date
}

const insertMemberSql = sql`
  with member as (
    insert into members (organization_id, id, email, name, role, password_hash, created_at, updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $7))
  insert into member_directory (email_key, organization_id, member_id) values (lower($3), $1, $2)`

export async function insertMember(tx: Tx, member: NewMember): Promise<void> {
  const { organizationId, id, email, name, role, passwordHash, createdAt } = member
  await tx.many(insertMemberSql, [organizationId, id, email, name, role, passwordHash, createdAt])
}
