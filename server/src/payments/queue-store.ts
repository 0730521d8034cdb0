import type { Db, Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { PaymentKey } from './store.ts'

// What falls due: the condition of each statement is that of its index.

/** Rows of one queue: those due at an instant, and when the next one is. */
export type Queue = {
  due(db: Db, now: Date, most: number): Promise<PaymentKey[]>
  nextAt(db: Db): Promise<Date | null>
}

function queue(column: string, condition: string): Queue {
  const dueSql = sql<PaymentKey>`
    select organization_id as "organizationId", id from payments
     where ${condition} and set_aside_at is null and ${column} <= $1 order by ${column} limit $2`
  const nextSql = sql<{ at: Date | null }>`
    select min(${column}) as at from payments where ${condition} and set_aside_at is null`
  return { due: (db, now, most) => db.many(dueSql, [now, most]), nextAt: async (db) => (await db.one(nextSql)).at }
}

export const expiring = queue('expires_at', `status in ('created', 'pending', 'authorising')`)
export const settling = queue('settles_at', `status = 'executed'`)
export const asking = queue('ask_at', 'ask_at is not null')

const setAsideSql = sql`update payments set set_aside_at = $3 where organization_id = $1 and id = $2`

export async function setAside(tx: Tx, { organizationId, id }: PaymentKey, at: Date): Promise<void> {
  await tx.many(setAsideSql, [organizationId, id, at])
}
