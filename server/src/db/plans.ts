import type { Tx } from './database.ts'
import { sql } from './sql.ts'

const byIndexSql = sql`
  select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
         set_config('enable_mergejoin', 'off', true)`

/**
 * Has the statements of this transaction find each row by its index. A plan made while a table was small joins it whole,
 * and is kept for as long as nothing analyzes the table, however large it has become. Not for joins of many with many.
 */
export async function planByIndex(tx: Tx): Promise<void> {
  await tx.many(byIndexSql)
}
