import { sql } from '../db/sql.ts'
import type { Tx } from '../db/database.ts'

// Rails are asked at a pace of real time, by one process at a time: whoever moves the time of the last question forward.

const claimSql = sql<{ cursor: string | null }>`
  insert into rail_credit_cursors as c (rail, asked_at) values ($1, clock_timestamp())
  on conflict (rail) do update set asked_at = clock_timestamp()
    where c.asked_at is null or c.asked_at <= clock_timestamp() - make_interval(secs => $2::double precision / 1000)
  returning cursor`

/** Makes the next question to a rail this process's; undefined before its time. */
export function claimQuestion(tx: Tx, rail: string, everyMs: number): Promise<{ cursor: string | null } | undefined> {
  return tx.maybe(claimSql, [rail, everyMs])
}

const moveSql = sql`
  update rail_credit_cursors set cursor = $3, asked_at = case when $4 then null else asked_at end
   where rail = $1 and cursor is not distinct from $2`

/** The rail has told everything up to a cursor. Where there is more, it is asked again at once. */
export async function moveCursor(
  tx: Tx,
  rail: string,
  { from, to, hasMore }: { from: string | null; to: string | null; hasMore: boolean },
): Promise<void> {
  await tx.many(moveSql, [rail, from, to, hasMore])
}
