import type { Db, Tx } from '../db/database.ts'
import { listPage, type Page } from '../db/paging.ts'
import { sql } from '../db/sql.ts'
import type { AuditQuery } from './schema.ts'
import type { SealedEntry } from './seal.ts'

export type Head = { number: bigint; before: Buffer }

const takeNumberSql = sql<Head>`
  insert into audit_log_heads as h (organization_id, entries, mac) values ($1, 1, $2)
  on conflict (organization_id) do update set entries = h.entries + 1
  returning entries as number, mac as before`

/** The number of the next entry and the digest it goes on from, under the lock of the organization's log. */
export function takeNumber(tx: Tx, organizationId: string, firstMac: Buffer): Promise<Head> {
  return tx.one(takeNumberSql, [organizationId, firstMac])
}

const appendSql = sql`
  with entry as (
    insert into audit_log (organization_id, id, number, at, actor_type, actor_id, actor_label,
                           action, resource_type, resource_id, ip, changes, mac, key_id)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14))
  update audit_log_heads set mac = $13 where organization_id = $1`

export async function appendEntry(tx: Tx, entry: SealedEntry, mac: Buffer, keyId: string): Promise<void> {
  const { organizationId, id, number, at, actorType, actorId, actorLabel } = entry
  const { action, resourceType, resourceId, ip, changes } = entry
  const who = [organizationId, id, number, at, actorType, actorId, actorLabel]
  await tx.many(appendSql, [...who, action, resourceType, resourceId, ip, changes, mac, keyId])
}

export type EntryRow = SealedEntry & { mac: Buffer; keyId: string }

const columns = `
  organization_id as "organizationId", id, number, at, actor_type as "actorType", actor_id as "actorId",
  actor_label as "actorLabel", action, resource_type as "resourceType", resource_id as "resourceId", ip, changes,
  mac, key_id as "keyId"`

export function listEntries(db: Db, organizationId: string, query: AuditQuery): Promise<Page<EntryRow>> {
  return listPage(
    db,
    { columns, from: 'audit_log', id: 'id' },
    [
      { text: 'organization_id = ?', value: organizationId },
      ...(query.action === undefined ? [] : [{ text: 'action = ?', value: query.action }]),
    ],
    query,
  )
}

const readEntriesSql = sql<EntryRow>`
  select ${columns} from audit_log
   where organization_id = $1 and number > $2 and number <= $3 order by number limit $4`

export function readEntries(
  db: Db,
  organizationId: string,
  after: bigint,
  upTo: bigint,
  most: number,
): Promise<EntryRow[]> {
  return db.many(readEntriesSql, [organizationId, after, upTo, most])
}

const findHeadSql = sql<{ entries: bigint; mac: Buffer }>`
  select entries, mac from audit_log_heads where organization_id = $1`

export function findHead(db: Db, organizationId: string): Promise<{ entries: bigint; mac: Buffer } | undefined> {
  return db.maybe(findHeadSql, [organizationId])
}

const findBeyondHeadSql = sql<{ number: bigint }>`
  select number from audit_log
   where organization_id = $1
     and number > coalesce((select entries from audit_log_heads where organization_id = $1), 0) order by number limit 100`

/** Numbers of entries past the end of the log, seen by one snapshot. */
export async function findBeyondHead(db: Db, organizationId: string): Promise<bigint[]> {
  return (await db.many(findBeyondHeadSql, [organizationId])).map(({ number }) => number)
}
