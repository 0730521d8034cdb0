import type { Db, Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'

export type OrganizationRow = {
  id: string
  name: string
  isActive: boolean
  approvalThresholds: Record<string, string>
  createdAt: Date
  updatedAt: Date
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

const lockOrganizationSql = sql<OrganizationRow>`
  select id, name, is_active as "isActive", approval_thresholds as "approvalThresholds",
         created_at as "createdAt", updated_at as "updatedAt"
    from organizations where id = $1 for no key update`

export function lockOrganization(tx: Tx, id: string): Promise<OrganizationRow | undefined> {
  return tx.maybe(lockOrganizationSql, [id])
}

const updateOrganizationSql = sql`
  update organizations set name = $2, approval_thresholds = $3, updated_at = $4 where id = $1`

export async function updateOrganization(
  tx: Tx,
  { id, name, approvalThresholds, updatedAt }: Omit<OrganizationRow, 'createdAt' | 'isActive'>,
): Promise<void> {
  await tx.many(updateOrganizationSql, [id, name, JSON.stringify(approvalThresholds), updatedAt])
}
