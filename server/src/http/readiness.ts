import type { Db } from '../db/database.ts'
import { sql } from '../db/sql.ts'

const pingSql = sql<{ ok: number }>`select 1 as ok`
/** A database that takes longer than this to say one is of no use to a caller either. */
const PING_TIMEOUT_MS = 2_000

export async function checkDatabase(db: Db): Promise<'up' | 'down'> {
  const late = new Promise<'down'>((resolve) => setTimeout(resolve, PING_TIMEOUT_MS, 'down').unref())
  const asked = db.one(pingSql).then(
    () => 'up' as const,
    () => 'down' as const,
  )
  return Promise.race([asked, late])
}
