import type { Db } from '../db/database.ts'
import { sql } from '../db/sql.ts'

// One row per organization, changed by single statements apart from any request's transaction: a miss counts also when
// the request it belongs to is refused. What waits for the row's lock goes on with its newest state, so that the count
// is exact. Limits go by the database's wall clock, the one clock all processes share.

const recent = (column: string, ms: string) =>
  `array(select at from unnest(${column}) at where at > clock_timestamp() - make_interval(secs => ${ms}::double precision / 1000))`
const misses = recent('l.misses', '$2')
// A look-up that never ended was that of a process that died: it stops counting when no call can still run.
const asking = recent('l.asking', '$3')

const takePlaceSql = sql<{ place: string }>`
  insert into partner_wallet_lookups as l (organization_id, misses, asking) values ($1, '{}', array[clock_timestamp()])
  on conflict (organization_id) do update set misses = ${misses}, asking = ${asking} || clock_timestamp()
   where cardinality(${misses}) + cardinality(${asking}) < $4
  returning asking[cardinality(asking)]::text as place`

/** Takes a place while fewer than `most` misses and look-ups under way are counted; undefined when there is none. */
export async function takePlace(
  db: Db,
  organizationId: string,
  windowMs: number,
  askingMs: number,
  most: number,
): Promise<string | undefined> {
  return (await db.maybe(takePlaceSql, [organizationId, windowMs, askingMs, most]))?.place
}

const missesSql = sql<{ misses: number; freeInMs: number }>`
  select cardinality(${misses}) as misses,
         coalesce(extract(epoch from (select min(at) from unnest(${misses}) at) - clock_timestamp()) * 1000 + $2, 0)::integer as "freeInMs"
    from partner_wallet_lookups l where organization_id = $1`

/** How many misses the window holds, and in how long the oldest of them leaves it. */
export async function countMisses(db: Db, organizationId: string, windowMs: number) {
  return (await db.maybe(missesSql, [organizationId, windowMs])) ?? { misses: 0, freeInMs: 0 }
}

const givePlaceBackSql = sql`
  update partner_wallet_lookups
     set asking = array_remove(asking, $2::timestamptz), misses = case when $3 then misses || clock_timestamp() else misses end
   where organization_id = $1`

export async function givePlaceBack(db: Db, organizationId: string, place: string, isMiss: boolean): Promise<void> {
  await db.many(givePlaceBackSql, [organizationId, place, isMiss])
}
