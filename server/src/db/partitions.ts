import { firstIdOf } from '../ids.ts'
import { sqlState, type Db } from './database.ts'
import { statement } from './sql.ts'

/** Large tables, partitioned by month of a UUIDv7, and the column it stands in. */
const partitionKeys = { events: 'id', webhook_deliveries: 'id', webhook_attempts: 'delivery_id' } as const
export type PartitionedTable = keyof typeof partitionKeys
export const partitionedTables = Object.keys(partitionKeys) as readonly PartitionedTable[]

/** Partitions exist this far ahead, so that a service nobody looks at for a season still has them. */
const MONTHS_AHEAD = 3

/**
 * Makes the monthly partitions from an instant to some months past another. The default one catches what nobody foresaw:
 * a month of which it holds something already stays in it, and is forgotten row by row.
 */
export async function ensurePartitions(db: Db, from: Date, to: Date = from): Promise<void> {
  const missing = await missingPartitions(db, monthsBetween(from, to))
  if (missing.length === 0) return
  await db.transaction(async (tx) => {
    await tx.many(statement('select pg_advisory_xact_lock(5660002)'))
    for (const { table, month } of await missingPartitions(tx, monthsBetween(from, to))) {
      const [first, end] = [firstIdOf(month), firstIdOf(monthAfter(month))]
      await tx.many(
        statement(
          `create table ${partitionName(table, month)} partition of ${table} for values from ('${first}') to ('${end}')`,
        ),
      )
    }
  })
}

function monthAfter(month: Date): Date {
  return new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1))
}

/** Forgets rows of the default partitions from before an instant, at most so many of each table, unless one of them waits. */
export async function forgetDefaultRows(db: Db, before: Date, most: number): Promise<number> {
  return db.transaction(async (tx) => {
    const firstKept = firstIdOf(before)
    const { waits } = await tx.one<{ waits: boolean }>(
      statement(`select exists (select from webhook_deliveries_default where id < $1 and lane is not null) as waits`),
      [firstKept],
    )
    if (waits) return 0
    let forgotten = 0
    for (const [table, key] of Object.entries(partitionKeys)) {
      const old = `select ctid from ${table}_default where ${key} < $1 order by ${key} limit $2`
      const text = `delete from ${table}_default where ctid in (${old}) returning 1 as one`
      forgotten = Math.max(forgotten, (await tx.many(statement(text), [firstKept, most])).length)
    }
    return forgotten
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
  const dropping = db.transaction(async (tx) => {
    // Whoever reads these tables is not made to queue behind us.
    await tx.many(statement(`set local lock_timeout = '1s'`))
    const { waits } = await tx.one<{ waits: boolean }>(
      statement(`select exists (select from webhook_deliveries_${month} where lane is not null) as waits`),
    )
    if (waits) return false
    for (const table of partitionedTables) await tx.many(statement(`drop table if exists ${table}_${month}`))
    return true
  })
  // Somebody reads them for long: we come again in a minute, and other chores are not held up by it.
  return dropping.catch((error: unknown) => {
    if (sqlState(error) === LOCK_NOT_AVAILABLE) return false
    throw error
  })
}

const LOCK_NOT_AVAILABLE = '55P03'

type Partition = { readonly table: PartitionedTable; readonly month: Date }

async function missingPartitions(db: Db, months: readonly Date[]): Promise<Partition[]> {
  const wanted = partitionedTables.flatMap((table) => months.map((month) => ({ table, month })))
  const found = await db.many<{ name: string }>(
    statement('select name from unnest($1::text[]) name where to_regclass(name) is not null'),
    [wanted.map(({ table, month }) => partitionName(table, month))],
  )
  const names = new Set(found.map(({ name }) => name))
  const missing = wanted.filter(({ table, month }) => !names.has(partitionName(table, month)))
  const free: Partition[] = []
  // One after the other: inside a transaction there is one connection.
  for (const partition of missing) if (!(await standsInDefault(db, partition))) free.push(partition)
  return free
}

/** Whether the default partition holds rows of this month: no partition can be made beside them. */
async function standsInDefault(db: Db, { table, month }: Partition): Promise<boolean> {
  const key = partitionKeys[table]
  const text = `select exists (select from ${table}_default where ${key} >= $1 and ${key} < $2) as stands`
  const values = [firstIdOf(month), firstIdOf(monthAfter(month))]
  return (await db.one<{ stands: boolean }>(statement(text), values)).stands
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
