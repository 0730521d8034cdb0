import type { Db, Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { ClockSetting } from '../clock.ts'
import type { Happening } from './worker.ts'

// Heartbeats and leases go by the database's wall clock, the one clock all processes share.

const joinSql = sql`
  insert into processes (id, roles, host, pid, api_url, simulator_url, started_at, heartbeat_at)
  values ($1, $2, $3, $4, $5, $6, clock_timestamp(), clock_timestamp())`

/** Where a process listens, as seen from this machine. */
export type Addresses = { readonly apiUrl?: string; readonly simulatorUrl?: string }

export async function joinProcesses(
  tx: Tx,
  process: Addresses & { id: string; roles: readonly string[]; host: string; pid: number },
): Promise<void> {
  const { id, roles, host, pid, apiUrl, simulatorUrl } = process
  await tx.many(joinSql, [id, roles, host, pid, apiUrl ?? null, simulatorUrl ?? null])
}

const announceSql = sql`
  update processes set api_url = coalesce($2, api_url), simulator_url = coalesce($3, simulator_url) where id = $1`

export async function announceAddresses(tx: Tx, id: string, { apiUrl, simulatorUrl }: Addresses): Promise<void> {
  await tx.many(announceSql, [id, apiUrl ?? null, simulatorUrl ?? null])
}

const addressesSql = sql<{ apiUrl: string | null; simulatorUrl: string | null }>`
  select (select api_url from processes where api_url is not null order by heartbeat_at desc limit 1) as "apiUrl",
         (select simulator_url from processes where simulator_url is not null order by heartbeat_at desc limit 1) as "simulatorUrl"`

/** Where the deployment's API and its simulator listen, by the process heard of last. */
export function findAddresses(db: Db): Promise<{ apiUrl: string | null; simulatorUrl: string | null }> {
  return db.one(addressesSql)
}

export type ClockRow = ClockSetting & { movedBy: string | null }

const clockColumns = `offset_ms as "offsetMs", frozen_at as "frozenAt", revision::integer as revision, moved_by as "movedBy"`
const readClockSql = sql<ClockRow>`select ${clockColumns} from service_clock`

export function readClock(db: Db): Promise<ClockRow> {
  return db.one(readClockSql)
}

const lockClockSql = sql<ClockRow>`select ${clockColumns} from service_clock for update`

export function lockClock(tx: Tx): Promise<ClockRow> {
  return tx.one(lockClockSql)
}

const beatSql = sql<{ isKnown: boolean; areOthersSilent: boolean }>`
  with beaten as (update processes set heartbeat_at = clock_timestamp(), clock_revision = $2 where id = $1 returning id)
  select exists (select from beaten) as "isKnown",
         exists (select from processes where id <> $1 and heartbeat_at < clock_timestamp() - make_interval(secs => $3::double precision / 1000)) as "areOthersSilent"`

/**
 * Says that this process lives and which clock setting it has taken over. One statement that is its own transaction: a
 * process stopped in the middle does not keep its row locked, and can be given up.
 */
export function beat(db: Db, id: string, clockRevision: number, silenceMs: number) {
  return db.one(beatSql, [id, clockRevision, silenceMs])
}

const reapSql = sql<{ id: string }>`
  delete from processes where id in (
    select id from processes where heartbeat_at < clock_timestamp() - make_interval(secs => $1::double precision / 1000) for update skip locked)
  returning id`

/** Gives up processes that have been silent too long; their claims are void from the same commit on. */
export async function reapProcesses(tx: Tx, silenceMs: number): Promise<string[]> {
  return (await tx.many(reapSql, [silenceMs])).map(({ id }) => id)
}

const leaveSql = sql`delete from processes where id = $1`

export async function leaveProcesses(tx: Tx, id: string): Promise<void> {
  await tx.many(leaveSql, [id])
}

const laggingSql = sql<{ count: number }>`
  select count(*)::integer as count from processes
   where clock_revision < $1 and heartbeat_at > clock_timestamp() - make_interval(secs => $2::double precision / 1000)`

/** How many living processes have not taken over a clock setting yet. */
export async function countLagging(db: Db, revision: number, silenceMs: number): Promise<number> {
  return (await db.one(laggingSql, [revision, silenceMs])).count
}

const startMoveSql = sql<ClockRow>`
  update service_clock set target_offset_ms = offset_ms + $1, frozen_at = $2, moved_by = $3, revision = revision + 1
   where moved_by is null or not exists (select from processes p where p.id = moved_by)
  returning ${clockColumns}`

/** Begins to move the clock; undefined while another living process is moving it. */
export function startClockMove(tx: Tx, byMs: bigint, from: Date, processId: string): Promise<ClockRow | undefined> {
  return tx.maybe(startMoveSql, [byMs, from, processId])
}

const stepSql = sql<ClockRow>`
  update service_clock set frozen_at = $1, revision = revision + 1 where moved_by = $2 and frozen_at <= $1 returning ${clockColumns}`

export function stepClock(tx: Tx, to: Date, processId: string): Promise<ClockRow | undefined> {
  return tx.maybe(stepSql, [to, processId])
}

const finishMoveSql = sql<ClockRow>`
  update service_clock
     set offset_ms = coalesce(target_offset_ms, offset_ms), target_offset_ms = null, frozen_at = null, moved_by = null, revision = revision + 1
   where moved_by = any($1::uuid[]) returning ${clockColumns}`

/** Ends the move of any of these processes: also of one that died in the middle of it. */
export function finishClockMove(tx: Tx, processIds: readonly string[]): Promise<ClockRow | undefined> {
  return tx.maybe(finishMoveSql, [processIds])
}

const happenedSql = sql`
  insert into clock_happenings (at, kind, resource_type, resource_id)
  select $1, kind, resource_type, resource_id from unnest($2::text[], $3::text[], $4::uuid[]) as t (kind, resource_type, resource_id)`

export async function recordHappenings(tx: Tx, at: Date, happenings: readonly Happening[]): Promise<void> {
  await tx.many(happenedSql, [
    at,
    happenings.map((one) => one.kind),
    happenings.map((one) => one.resourceType),
    happenings.map((one) => one.resourceId),
  ])
}

const lastHappeningSql = sql<{ number: bigint }>`select coalesce(max(number), 0) as number from clock_happenings`

export async function lastHappening(db: Db): Promise<bigint> {
  return (await db.one(lastHappeningSql)).number
}

const happeningsSql = sql<Happening & { at: Date; total: number }>`
  select at, kind, resource_type as "resourceType", resource_id as "resourceId", (count(*) over ())::integer as total
    from clock_happenings where number > $1 order by number limit $2`

export function listHappenings(db: Db, after: bigint, most: number) {
  return db.many(happeningsSql, [after, most])
}

const forgetHappeningsSql = sql`delete from clock_happenings where number <= $1`

export async function forgetHappenings(tx: Tx, upTo: bigint): Promise<void> {
  await tx.many(forgetHappeningsSql, [upTo])
}

const setAsideSql = sql`
  insert into rows_set_aside (worker, organization_id, resource_id, error, set_aside_at) values ($1, $2, $3, $4, $5)
  on conflict (worker, organization_id, resource_id) do update set error = excluded.error, set_aside_at = excluded.set_aside_at`

export async function setRowAside(
  tx: Tx,
  row: { worker: string; organizationId: string; resourceId: string; error: string; at: Date },
): Promise<void> {
  await tx.many(setAsideSql, [row.worker, row.organizationId, row.resourceId, row.error, row.at])
}

const countSetAsideSql = sql<{ worker: string; count: number }>`
  select worker, count(*)::integer as count from rows_set_aside group by worker`

export function countSetAside(db: Db): Promise<{ worker: string; count: number }[]> {
  return db.many(countSetAsideSql)
}
