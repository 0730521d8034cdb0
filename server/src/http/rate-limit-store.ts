import type { Db } from '../db/database.ts'
import { sql } from '../db/sql.ts'

export type LimitKind = 'reads' | 'writes'

/** What was given of a second: how many requests, how many nobody has taken yet, and when the second ends. */
export type Reservation = { granted: number; remaining: number; endsInMs: number }

// A second that another process has seen already is not gone back to: clocks are read before the row is locked.
const reserveSql = sql<Reservation>`
  insert into rate_limits as r (subject_id, kind, second, reserved, granted)
  values ($1, $2, floor(extract(epoch from clock_timestamp()))::bigint, least($3::integer, $4), least($3::integer, $4))
  on conflict (subject_id, kind) do update
     set second   = greatest(r.second, excluded.second),
         granted  = case when r.second < excluded.second then excluded.granted
                         else least($3::integer, greatest($4 - r.reserved, 0)) end,
         reserved = case when r.second < excluded.second then excluded.granted
                         else r.reserved + least($3::integer, greatest($4 - r.reserved, 0)) end
  returning granted, greatest($4::integer - reserved, 0) as remaining,
            greatest((second + 1) * 1000 - extract(epoch from clock_timestamp()) * 1000, 1)::double precision as "endsInMs"`

/** Takes a slice of what a caller may do in this second. One statement, its own transaction: the lock is held for moments. */
export function reserve(
  db: Db,
  subjectId: string,
  kind: LimitKind,
  slice: number,
  limit: number,
): Promise<Reservation> {
  return db.one(reserveSql, [subjectId, kind, slice, limit])
}
