import type { Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'

/** A status a resource has come to, and the event that announced it, if one did. */
export type StatusChange = {
  readonly organizationId: string
  readonly resourceType: string
  readonly resourceId: string
  readonly status: string
  readonly eventId: string | null
  readonly at: Date
}

const recordSql = sql`
  insert into status_history (organization_id, resource_id, number, resource_type, status, event_id, at)
  select t.organization_id, t.resource_id,
         coalesce((select max(h.number) from status_history h
                    where h.organization_id = t.organization_id and h.resource_id = t.resource_id), 0) + 1,
         t.resource_type, t.status, t.event_id, t.at
    from unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::uuid[], $6::timestamptz[])
      as t (organization_id, resource_type, resource_id, status, event_id, at)`

/** Writes down what statuses resources have come to; at most one change per resource and call. */
export async function recordHistory(tx: Tx, changes: readonly StatusChange[]): Promise<void> {
  if (changes.length === 0) return
  await tx.many(recordSql, [
    changes.map((change) => change.organizationId),
    changes.map((change) => change.resourceType),
    changes.map((change) => change.resourceId),
    changes.map((change) => change.status),
    changes.map((change) => change.eventId),
    changes.map((change) => change.at),
  ])
}
