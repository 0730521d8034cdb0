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
