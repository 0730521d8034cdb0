import { firstIdOf } from '../ids.ts'
import type { Db } from './database.ts'
import { statement } from './sql.ts'

/** Large tables, partitioned by month of their UUIDv7 id. */
export const partitionedTables = ['events', 'webhook_deliveries', 'webhook_attempts'] as const

/** Partitions exist this far ahead, so that a service nobody looks at for a season still has them. */
const MONTHS_AHEAD = 3

/** Makes the monthly partitions from an instant to some months past another. The default one catches what nobody foresaw. */
export async function ensurePartitions(db: Db, from: Date, to: Date = from): Promise<void> {
  const missing = await missingPartitions(db, monthsBetween(from, to))
  if (missing.length === 0) return
  await db.transaction(async (tx) => {
    await tx.many(statement('select pg_advisory_xact_lock(5660002)'))
    for (const { table, month } of await missingPartitions(tx, monthsBetween(from, to))) {
      const end = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1))
      await tx.many(
        statement(
          `create table ${partitionName(table, month)} partition of ${table} for values from ('${firstIdOf(month)}') to ('${firstIdOf(end)}')`,
        ),
      )
    }
  })
}

const oldPartitionsSql = statement<{ name: string }>(`
  select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where i.inhparent = 'webhook_deliveries'::regclass and c.relname ~ '_[0-9]{4}_[0-9]{2}$' order by c.relname`)

/**
 * Drops the months that ended before an instant, of all these tables together. A month in which something still waits
 * stays until nothing does. Answers how many months went.
 */
export async function dropPartitions(db: Db, before: Date): Promise<number> {
  const months = (await db.many(oldPartitionsSql))
    .map(({ name }) => name.slice(-7))
    .filter((month) => new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)))) <= before)
  let dropped = 0
  for (const month of months) dropped += Number(await dropMonth(db, month))
  return dropped
}

async function dropMonth(db: Db, month: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    // Whoever reads these tables is not made to queue behind us: we come again in a minute.
    await tx.many(statement(`set local lock_timeout = '1s'`))
    const { waits } = await tx.one<{ waits: boolean }>(
      statement(`select exists (select from webhook_deliveries_${month} where lane is not null) as waits`),
    )
    if (waits) return false
    for (const table of partitionedTables) await tx.many(statement(`drop table if exists ${table}_${month}`))
    return true
  })
}

type Partition = { readonly table: string; readonly month: Date }

async function missingPartitions(db: Db, months: readonly Date[]): Promise<Partition[]> {
  const wanted = partitionedTables.flatMap((table) => months.map((month) => ({ table, month })))
  const found = await db.many<{ name: string }>(
    statement('select name from unnest($1::text[]) name where to_regclass(name) is not null'),
    [wanted.map(({ table, month }) => partitionName(table, month))],
  )
  const names = new Set(found.map(({ name }) => name))
  return wanted.filter(({ table, month }) => !names.has(partitionName(table, month)))
}

export function partitionName(table: string, month: Date): string {
  return `${table}_${month.getUTCFullYear()}_${String(month.getUTCMonth() + 1).padStart(2, '0')}`
}

function monthsBetween(from: Date, to: Date): Date[] {
  const months: Date[] = []
  const last = Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + MONTHS_AHEAD)
  for (let year = from.getUTCFullYear(), month = from.getUTCMonth(); Date.UTC(year, month) <= last; month += 1) {
    months.push(new Date(Date.UTC(year, month)))
  }
  return months
}
