import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

export type NewNotice = {
  rail: string
  dedupeKey: string
  id: string
  kind: string
  notice: string
  body: string
  status: 'read' | 'unreadable'
  error: string | null
  at: Date
}

// In the order of their keys, so that two batches with the same notices never wait for each other in a circle.
const insertSql = sql<{ id: string }>`
  with added as (
    insert into rail_notices (rail, dedupe_key, id, kind, notice, body, status, error, received_at)
    select rail, dedupe_key, id, kind, notice, body, status, error, received_at
      from unnest($1::text[], $2::text[], $3::uuid[], $4::text[], $5::jsonb[], $6::text[], $7::text[], $8::text[], $9::timestamptz[])
        as t (rail, dedupe_key, id, kind, notice, body, status, error, received_at)
     order by rail, dedupe_key
    on conflict (rail, dedupe_key) do nothing returning id, status, received_at
  ), queued as (
    insert into rail_notice_queue (id, received_at) select id, received_at from added where status = 'read'
  )
  select id from added`

/** Stores notices, each once; answers the ids of those that were not here before. */
export async function insertNotices(tx: Tx, notices: readonly NewNotice[]): Promise<Set<string>> {
  const column = (name: keyof NewNotice) => notices.map((notice) => notice[name])
  const names = ['rail', 'dedupeKey', 'id', 'kind', 'notice', 'body', 'status', 'error', 'at'] as const
  return new Set((await tx.many(insertSql, names.map(column))).map(({ id }) => id))
}

const knownSql = sql<{ key: string }>`
  select dedupe_key as key from rail_notices where rail = $1 and dedupe_key = any($2::text[])`

/** Which of these facts a rail has told before. */
export async function findKnown(db: Db, rail: string, keys: readonly string[]): Promise<Set<string>> {
  return new Set((await db.many(knownSql, [rail, keys])).map(({ key }) => key))
}

export type WaitingRow = { id: string; rail: string; receivedAt: Date; notice: unknown }

const oldestWaitingSql = sql<{ at: Date }>`
  select received_at as at from rail_notice_queue where set_aside_at is null order by id limit 1`

export async function oldestWaitingAt(db: Db): Promise<Date | null> {
  return (await db.maybe(oldestWaitingSql))?.at ?? null
}

const takenRows = `
  select n.id, n.rail, n.received_at as "receivedAt", n.notice from taken join rail_notices n on n.id = taken.id order by n.id`

const takeSql = sql<WaitingRow>`
  with taken as (
    delete from rail_notice_queue where id = any (array(
      select id from rail_notice_queue where set_aside_at is null order by id limit $1 for update skip locked))
    returning id
  ) ${takenRows}`

/** Takes the oldest that nobody else is at: theirs is the transaction, and when it fails they wait again. */
export function takeWaiting(tx: Tx, most: number): Promise<WaitingRow[]> {
  return tx.many(takeSql, [most])
}

const takeTheseSql = sql<WaitingRow>`
  with taken as (
    delete from rail_notice_queue where id = any (array(
      select id from rail_notice_queue where id = any($1::uuid[]) and set_aside_at is null order by id for update skip locked))
    returning id
  ) ${takenRows}`

export function takeThese(tx: Tx, ids: readonly string[]): Promise<WaitingRow[]> {
  return tx.many(takeTheseSql, [ids])
}

const setAsideSql = sql`update rail_notice_queue set set_aside_at = $2 where id = $1`

export async function setNoticeAside(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.many(setAsideSql, [id, at])
}

export type UnmatchedRow = WaitingRow & { kind: string; status: UnmatchedStatus; error: string | null }
export type UnmatchedStatus = 'unmatched' | 'returning' | 'unreadable'

const listUnmatchedSql = sql<UnmatchedRow>`
  select id, rail, kind, received_at as "receivedAt", notice, status, error from rail_notices
   where status in ('unmatched', 'returning', 'unreadable') order by id limit $1`

export function listUnmatched(db: Db, most: number): Promise<UnmatchedRow[]> {
  return db.many(listUnmatchedSql, [most])
}

const lockNoticeSql = sql<WaitingRow & { kind: string; status: string }>`
  select n.id, n.rail, n.kind, n.received_at as "receivedAt", n.notice,
         case when n.status <> 'read' then n.status
              when exists (select from rail_notice_queue q where q.id = n.id) then 'waiting' else 'applied' end as status
    from rail_notices n where n.id = $1 for update of n`

/** A notice and what has become of it. */
export function lockNotice(tx: Tx, id: string) {
  return tx.maybe(lockNoticeSql, [id])
}

const moveSql = sql`update rail_notices set status = $2 where id = any($1::uuid[])`

/** `read`: it has been applied after all. */
export async function moveNotices(
  tx: Tx,
  ids: readonly string[],
  to: 'read' | 'unmatched' | 'returning' | 'returned',
): Promise<void> {
  if (ids.length > 0) await tx.many(moveSql, [ids, to])
}

const requeueSql = sql<{ id: string }>`
  with again as (
    update rail_notices set status = 'read' where id = any($1::uuid[]) and status = 'unmatched' returning id, received_at
  )
  insert into rail_notice_queue (id, received_at) select id, received_at from again returning id`

/** Lets those that match somebody by now be worked again. */
export async function requeue(tx: Tx, ids: readonly string[]): Promise<number> {
  return (await tx.many(requeueSql, [ids])).length
}

export type Decision = {
  id: string
  noticeId: string
  decision: 'assigned' | 'return_asked' | 'return_refused' | 'returned'
  organizationId: string | null
  note: string | null
  at: Date
}

const decideSql = sql`
  insert into rail_notice_decisions (id, notice_id, decision, organization_id, note, decided_at) values ($1, $2, $3, $4, $5, $6)`

export async function insertDecision(tx: Tx, decided: Decision): Promise<void> {
  const { id, noticeId, decision, organizationId, note, at } = decided
  await tx.many(decideSql, [id, noticeId, decision, organizationId, note, at])
}

const countSql = sql<{ status: string; count: number }>`
  select s.status, count(n.id)::integer as count from unnest(array['unmatched', 'returning', 'unreadable']) as s (status)
    left join rail_notices n on n.status = s.status and n.status in ('unmatched', 'returning', 'unreadable') group by s.status`

export function countUnmatched(db: Db): Promise<{ status: string; count: number }[]> {
  return db.many(countSql)
}
