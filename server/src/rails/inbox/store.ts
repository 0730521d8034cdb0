import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

export type NewNotice = {
  rail: string
  dedupeKey: string
  id: string
  kind: string
  notice: string
  body: string
  status: 'waiting' | 'unreadable'
  error: string | null
  at: Date
}

// In the order of their keys, so that two batches with the same notices never wait for each other in a circle.
const insertSql = sql<{ id: string }>`
  insert into rail_notices (rail, dedupe_key, id, kind, notice, body, status, error, received_at)
  select rail, dedupe_key, id, kind, notice, body, status, error, received_at
    from unnest($1::text[], $2::text[], $3::uuid[], $4::text[], $5::jsonb[], $6::text[], $7::text[], $8::text[], $9::timestamptz[])
      as t (rail, dedupe_key, id, kind, notice, body, status, error, received_at)
   order by rail, dedupe_key
  on conflict (rail, dedupe_key) do nothing returning id`

/** Stores notices, each once; answers the ids of those that were not here before. */
export async function insertNotices(tx: Tx, notices: readonly NewNotice[]): Promise<Set<string>> {
  const column = (name: keyof NewNotice) => notices.map((notice) => notice[name])
  const names = ['rail', 'dedupeKey', 'id', 'kind', 'notice', 'body', 'status', 'error', 'at'] as const
  return new Set((await tx.many(insertSql, names.map(column))).map(({ id }) => id))
}

export type WaitingRow = { id: string; rail: string; receivedAt: Date; notice: unknown }

const findWaitingSql = sql<{ id: string }>`
  select id from rail_notices where status = 'waiting' and set_aside_at is null order by id limit $1`

export async function findWaiting(db: Db, most: number): Promise<string[]> {
  return (await db.many(findWaitingSql, [most])).map(({ id }) => id)
}

const oldestWaitingSql = sql<{ at: Date | null }>`
  select min(received_at) as at from rail_notices where status = 'waiting' and set_aside_at is null`

export async function oldestWaitingAt(db: Db): Promise<Date | null> {
  return (await db.one(oldestWaitingSql)).at
}

const lockWaitingSql = sql<WaitingRow>`
  select id, rail, received_at as "receivedAt", notice from rail_notices
   where id = any($1::uuid[]) and status = 'waiting' and set_aside_at is null order by id for update skip locked`

export function lockWaiting(tx: Tx, ids: readonly string[]): Promise<WaitingRow[]> {
  return tx.many(lockWaitingSql, [ids])
}

/** What became of a notice: into an organization's books, or nobody's. */
export type Applied = { id: string; organizationId: string | null; status: 'applied' | 'unmatched' }

const markSql = sql`
  update rail_notices n set status = m.status, organization_id = m.organization_id, applied_at = $4
    from unnest($1::uuid[], $2::text[], $3::uuid[]) as m (id, status, organization_id) where n.id = m.id`

export async function markApplied(tx: Tx, applied: readonly Applied[], at: Date): Promise<void> {
  const column = (name: keyof Applied) => applied.map((one) => one[name])
  await tx.many(markSql, [column('id'), column('status'), column('organizationId'), at])
}

const setAsideSql = sql`update rail_notices set set_aside_at = $2 where id = $1`

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
  select id, rail, kind, received_at as "receivedAt", notice, status from rail_notices where id = $1 for update`

export function lockNotice(tx: Tx, id: string) {
  return tx.maybe(lockNoticeSql, [id])
}

const moveSql = sql`update rail_notices set status = $2 where id = $1`

export async function moveNotice(tx: Tx, id: string, to: 'unmatched' | 'returning' | 'returned'): Promise<void> {
  await tx.many(moveSql, [id, to])
}

const requeueSql = sql<{ id: string }>`
  update rail_notices set status = 'waiting', applied_at = null where id = any($1::uuid[]) and status = 'unmatched' returning id`

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
