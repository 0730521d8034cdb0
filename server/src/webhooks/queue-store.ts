import type { Db, Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { SignaturePrefix } from './signing.ts'
import type { DeliveryStatus } from './states.ts'

/** What a claim moved: only `claimed` rows are ours to send; the others were parked or cancelled on the way. */
export type Claimed = {
  organizationId: string
  id: string
  endpointId: string
  lane: 'claimed' | 'parked' | null
  eventId: string
  eventType: string
  payload: string
  isManual: boolean
  attemptCount: number
  automaticCount: number
  isSingle: boolean
  url: string
  secret: string | null
  signaturePrefix: SignaturePrefix
  headers: string | null
}

export type LaneKey = { readonly organizationId: string; readonly endpointId: string }

export type ClaimWish = {
  readonly processId: string
  readonly at: Date
  readonly firstMost: number
  readonly retryMost: number
  readonly endpointMost: number
  readonly refills: readonly LaneKey[]
}

export const claimSql = sql<Claimed>`
  select organization_id as "organizationId", id, endpoint_id as "endpointId", lane, event_id as "eventId", event_type as "eventType",
         payload, is_manual as "isManual", attempt_count as "attemptCount", automatic_count as "automaticCount", is_single as "isSingle",
         url, secret, signature_prefix as "signaturePrefix", headers
    from claim_webhook_deliveries($1, $2, $3, $4, $5, $6, $7)`

/** One statement that is its own transaction, so that a process stopped in the middle holds the turn of nobody. */
export function claimDeliveries(db: Db, wish: ClaimWish): Promise<Claimed[]> {
  return db.many(claimSql, [
    wish.processId,
    wish.at,
    wish.firstMost,
    wish.retryMost,
    wish.endpointMost,
    wish.refills.map((lane) => lane.organizationId),
    wish.refills.map((lane) => lane.endpointId),
  ])
}

/** An attempt that has ended, as it is written down. */
export type Result = LaneKey & {
  readonly id: string
  readonly claimedBy: string
  readonly trigger: 'automatic' | 'manual'
  readonly at: Date
  readonly endedAt: Date
  readonly durationMs: number
  readonly responseStatus: number | null
  readonly responseBody: string | null
  readonly error: string | null
  /** When the next automatic attempt is due if this one failed; null: it was the last. */
  readonly nextAttemptAt: Date | null
}

export type Recorded = LaneKey & { id: string; status: DeliveryStatus; isCongested: boolean }

// Locked first, in one order for everybody: a deletion that runs at the same time comes before or after what is recorded,
// never between.
const lockEndpointsSql = sql<LaneKey & { isListening: boolean; isCongested: boolean }>`
  select w.organization_id as "organizationId", w.id as "endpointId", w.is_active and w.deleted_at is null as "isListening",
         w.is_congested as "isCongested"
    from webhook_endpoints w
   where (w.organization_id, w.id) in (select organization_id, id from unnest($1::uuid[], $2::uuid[]) as e (organization_id, id))
   order by w.organization_id, w.id for no key update`

// A delivery whose claim is no longer ours is not touched, and neither is anything that follows from it. Each delivery is
// found by its key, in the order of the results; whether its endpoint still listens comes with the result, for a join with
// the endpoints compares all of them with every result (4 of 10 ms for 200 results of 50 endpoints). The lane is not asked
// for beside claimed_by, which says the same.
const recordSql = sql<LaneKey & { id: string; status: DeliveryStatus }>`
  with result as (
    select organization_id, id, claimed_by, trigger, at, ended_at, duration_ms, response_status, response_body, error, next_attempt_at, is_listening
      from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::integer[],
                         $8::smallint[], $9::text[], $10::text[], $11::timestamptz[], $12::boolean[])
      as r (organization_id, id, claimed_by, trigger, at, ended_at, duration_ms, response_status, response_body, error, next_attempt_at, is_listening)
  ), ended as (
    select d.organization_id, d.id, d.endpoint_id, d.attempt_count + 1 as number, d.status as old_status,
           r.trigger, r.at, r.ended_at, r.duration_ms, r.response_status, r.response_body, r.error,
           case when r.trigger = 'manual' then d.next_attempt_at when d.is_single then null else r.next_attempt_at end as next_attempt_at,
           r.is_listening
      from result r
      join webhook_deliveries d on d.organization_id = r.organization_id and d.id = r.id
     where d.claimed_by = r.claimed_by
       for update of d
  ), outcome as (
    select e.organization_id, e.id, e.endpoint_id, e.number, e.old_status, e.trigger, e.at, e.ended_at,
           e.duration_ms, e.response_status, e.response_body, e.error, e.next_attempt_at,
           case when e.error is null then 'delivered'
                     when e.old_status <> 'pending' then e.old_status
                     when not e.is_listening then 'cancelled'
                     when e.next_attempt_at is null then 'failed'
                     else 'pending' end as status
      from ended e
  ), moved as (
    update webhook_deliveries d
       set status = o.status, attempt_count = o.number,
           automatic_count = d.automatic_count + case when o.trigger = 'automatic' then 1 else 0 end,
           next_attempt_at = case when o.status = 'pending' then o.next_attempt_at end,
           lane = case when o.status = 'pending' then 'retry' end,
           due_at = case when o.status = 'pending' then o.next_attempt_at end,
           manual_requested_at = null, claimed_by = null,
           completed_at = case when o.status <> o.old_status then o.ended_at else d.completed_at end
      from outcome o where d.organization_id = o.organization_id and d.id = o.id
  ), attempts as (
    insert into webhook_attempts (organization_id, delivery_id, number, trigger, at, duration_ms, response_status, response_body, error)
    select organization_id, id, number, trigger, at, duration_ms, response_status, response_body, error from outcome
  ), counted as (
    select o.organization_id, o.endpoint_id, max(o.success_at) as last_success_at,
           max(o.ended_at) filter (where o.error is not null) as last_failure_at,
           count(*) filter (where o.error is not null and (o.success_at is null or o.ended_at > o.success_at)) as failures
      from (select organization_id, endpoint_id, ended_at, error,
                   max(ended_at) filter (where error is null) over (partition by organization_id, endpoint_id) as success_at
              from outcome) o
     group by o.organization_id, o.endpoint_id
  ), told as (
    update webhook_endpoints w
       set last_success_at = coalesce(c.last_success_at, w.last_success_at),
           last_failure_at = coalesce(c.last_failure_at, w.last_failure_at),
           consecutive_failures = c.failures + case when c.last_success_at is null then w.consecutive_failures else 0 end
      from counted c where w.organization_id = c.organization_id and w.id = c.endpoint_id
  )
  select organization_id as "organizationId", endpoint_id as "endpointId", id, status from outcome`

const byIndexSql = sql`
  select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
         set_config('enable_mergejoin', 'off', true), set_config('join_collapse_limit', '1', true)`

/** Writes down how attempts ended; answers those that were still ours to record. */
export async function recordResults(tx: Tx, results: readonly Result[]): Promise<Recorded[]> {
  // A plan made while the tables were empty would scan them, and be kept when they are full.
  await tx.many(byIndexSql)
  const column = (name: keyof Result) => results.map((result) => result[name])
  const endpoints = await tx.many(lockEndpointsSql, [column('organizationId'), column('endpointId')])
  const byId = new Map(endpoints.map((endpoint) => [endpoint.endpointId, endpoint]))
  const recorded = await tx.many(recordSql, [
    ...(['organizationId', 'id', 'claimedBy', 'trigger', 'at', 'endedAt', 'durationMs'] as const).map(column),
    ...(['responseStatus', 'responseBody', 'error', 'nextAttemptAt'] as const).map(column),
    results.map(({ endpointId }) => byId.get(endpointId)?.isListening ?? false),
  ])
  return recorded.map((row) => ({ ...row, isCongested: byId.get(row.endpointId)?.isCongested ?? false }))
}

const releaseSql = sql`
  update webhook_deliveries
     set lane = case when attempt_count = 0 or manual_requested_at is not null then 'first' else 'retry' end, claimed_by = null
   where lane = 'claimed' and claimed_by = any($1::uuid[])`

/** Frees what processes that are gone had under way. It was no attempt: it is due as it was before. */
export async function releaseClaims(tx: Tx, processIds: readonly string[]): Promise<void> {
  await tx.many(releaseSql, [processIds])
}

// Also a process that was given up while its claim was on the way to the database: nobody else would free that.
const releaseStraysSql = sql`
  update webhook_deliveries d
     set lane = case when attempt_count = 0 or manual_requested_at is not null then 'first' else 'retry' end, claimed_by = null
   where lane = 'claimed' and (claimed_by = $1 and id <> all ($2::uuid[])
                               or not exists (select from processes p where p.id = d.claimed_by))`

/**
 * Frees claims that no living process knows of: of this process, those that are not among `held`, for the answer to a
 * claim can be lost after it was made. To be called while no claim of this process is under way.
 */
export async function releaseStrays(tx: Tx, processId: string, held: readonly string[]): Promise<void> {
  await tx.many(byIndexSql)
  await tx.many(releaseStraysSql, [processId, held])
}

const deferSql = sql`
  update webhook_deliveries set lane = 'retry', due_at = $4, claimed_by = null
   where organization_id = $1 and id = $2 and lane = 'claimed' and claimed_by = $3`

/** Puts one claim back for later, after a fault of ours. It was no attempt. */
export async function deferClaim(tx: Tx, row: { organizationId: string; id: string; claimedBy: string }, dueAt: Date) {
  await tx.many(deferSql, [row.organizationId, row.id, row.claimedBy, dueAt])
}

const setAsideSql = sql`
  update webhook_deliveries set lane = 'aside', claimed_by = null where organization_id = $1 and id = $2 and claimed_by = $3`

export async function setAside(tx: Tx, row: { organizationId: string; id: string; claimedBy: string }): Promise<void> {
  await tx.many(setAsideSql, [row.organizationId, row.id, row.claimedBy])
}

// What is parked or claimed was due when it came there: any one of these rows tells that something still is.
const nextDueSql = sql<{ at: Date | null }>`
  select least(
    (select due_at from webhook_deliveries where lane = 'first' order by due_at limit 1),
    (select due_at from webhook_deliveries where lane = 'retry' order by due_at limit 1),
    (select due_at from webhook_deliveries where lane = 'parked' limit 1),
    (select due_at from webhook_deliveries where lane = 'claimed' limit 1)) as at`

export async function nextDueAt(db: Db): Promise<Date | null> {
  return (await db.one(nextDueSql)).at
}

// Goes from lane to lane through the index, however much is parked in each.
const parkedLanesSql = sql<LaneKey>`
  with recursive lane as (
    (select organization_id, endpoint_id from webhook_deliveries
      where lane = 'parked' order by organization_id, endpoint_id limit 1)
    union all
    select n.organization_id, n.endpoint_id from lane l cross join lateral (
      select organization_id, endpoint_id from webhook_deliveries
       where lane = 'parked' and (organization_id, endpoint_id) > (l.organization_id, l.endpoint_id)
       order by organization_id, endpoint_id limit 1) n
  )
  select l.organization_id as "organizationId", l.endpoint_id as "endpointId" from lane l
   where (select count(*) from webhook_deliveries f
           where f.lane = 'claimed' and f.organization_id = l.organization_id and f.endpoint_id = l.endpoint_id) < $1
   limit $2`

/** Endpoints for which something is parked although fewer than `endpointMost` requests are under way. */
export function findParkedLanes(db: Db, endpointMost: number, most: number): Promise<LaneKey[]> {
  return db.many(parkedLanesSql, [endpointMost, most])
}

export type SigningRow = { secret: string | null; signaturePrefix: SignaturePrefix }

const findSigningSql = sql<SigningRow & LaneKey>`
  select w.organization_id as "organizationId", w.id as "endpointId", w.secret, w.signature_prefix as "signaturePrefix"
    from unnest($1::uuid[], $2::uuid[]) as e (organization_id, id)
    join webhook_endpoints w on w.organization_id = e.organization_id and w.id = e.id`

export function findSigning(db: Db, lanes: readonly LaneKey[]): Promise<(SigningRow & LaneKey)[]> {
  return db.many(findSigningSql, [lanes.map((lane) => lane.organizationId), lanes.map((lane) => lane.endpointId)])
}

// The first entry of each parked lane is its oldest: as many steps as there are lanes, not rows.
const gaugesSql = sql<{ oldestDueAt: Date | null; failing: number }>`
  with recursive lane as (
    (select organization_id, endpoint_id, due_at from webhook_deliveries
      where lane = 'parked' order by organization_id, endpoint_id, due_at limit 1)
    union all
    select n.organization_id, n.endpoint_id, n.due_at from lane l cross join lateral (
      select organization_id, endpoint_id, due_at from webhook_deliveries
       where lane = 'parked' and (organization_id, endpoint_id) > (l.organization_id, l.endpoint_id)
       order by organization_id, endpoint_id, due_at limit 1) n
  )
  select least((select min(due_at) from lane),
               (select due_at from webhook_deliveries where lane = 'first' order by due_at limit 1),
               (select due_at from webhook_deliveries where lane = 'retry' order by due_at limit 1)) as "oldestDueAt",
         (select count(*)::integer from webhook_endpoints where consecutive_failures > 0 and deleted_at is null) as failing`

/** What the metrics say about the whole deployment. */
export function readGauges(db: Db) {
  return db.one(gaugesSql)
}
