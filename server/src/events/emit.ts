import type { Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { envelope, type NewEvent } from './envelope.ts'

// Event and deliveries in one statement of the transaction that changed the state: nothing is announced that did not
// happen, nothing happens unannounced, and nothing is left to be published after the commit.

/**
 * The writing parts of a statement that announces. They read `announced` (organization_id, id, type, payload,
 * created_at), a part that stands before them, and end in `delivery`, one row per endpoint that listens.
 */
export const announcing = `
  event as (
    insert into events (organization_id, id, type, payload, created_at)
    select organization_id, id, type, payload, created_at from announced
    returning organization_id, id, type, created_at
  ), delivery as (
    insert into webhook_deliveries (organization_id, id, endpoint_id, event_id, event_type, next_attempt_at, created_at, lane, due_at)
    select e.organization_id, uuid_of(e.created_at), w.id, e.id, e.type, e.created_at, e.created_at,
           case when w.is_congested then 'parked' else 'first' end, e.created_at
      from event e
      join webhook_endpoints w on w.organization_id = e.organization_id and w.is_active and w.deleted_at is null
                              and (w.events @> array['*'] or w.events @> array[e.type])
    returning 1
  )`

const emitSql = sql<{ deliveries: number }>`
  with announced as (
    select organization_id, id, type, payload, created_at
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[]) as t (organization_id, id, type, payload, created_at)
  ), ${announcing}
  select count(*)::integer as deliveries from delivery`

/** Announces what this transaction did, to every endpoint that listens. */
export async function emit(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const { deliveries } = await tx.one(emitSql, [
    events.map((event) => event.organizationId),
    events.map((event) => event.id),
    events.map((event) => event.type),
    events.map(envelope),
    events.map((event) => event.at),
  ])
  if (deliveries > 0) tx.wake('webhooks')
}
