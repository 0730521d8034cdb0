import type { Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
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
