import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import pg from 'pg'

const folder = fileURLToPath(new URL('../../migrations', import.meta.url))

/** Any number, the same everywhere: only one process migrates at a time. */
const ADVISORY_LOCK = 5_660_001

export type Migration = {
  readonly version: number
  readonly name: string
  readonly text: string
  readonly checksum: string
}

export function readMigrations(): readonly Migration[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .toSorted()
    .map((name) => {
      const text = readFileSync(join(folder, name), 'utf8')
      return {
        version: Number(name.slice(0, 4)),
        name,
        text,
        checksum: createHash('sha256').update(text).digest('hex'),
      }
    })
}

/** Brings the schema up to what this code knows; answers the names of what it applied. */
export async function migrate(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'kolo-migrate' })
  // One that breaks between two statements fails the next of them, rather than the process without a word.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [ADVISORY_LOCK])
    await client.query(`create table if not exists schema_migrations (
      version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default clock_timestamp())`)
    return await applyMissing(client)
  } finally {
    await client.end()
  }
}

async function applyMissing(client: pg.Client): Promise<string[]> {
  const migrations = readMigrations()
  const { rows } = await client.query<{ version: number; name: string; checksum: string }>(
    'select version, name, checksum from schema_migrations order by version',
  )
  const applied = new Map(rows.map((row) => [row.version, row]))
  const newest = migrations.at(-1)?.version ?? 0
  const beyond = rows.find((row) => row.version > newest)
  if (beyond) {
    throw new Error(
      `The database has migration ${beyond.name}, which this version of Kolo does not know. Start a newer Kolo.`,
    )
  }
  const done: string[] = []
  for (const migration of migrations) {
    const before = applied.get(migration.version)
    if (before && before.checksum !== migration.checksum) {
      throw new Error(
        `Migration ${migration.name} was changed after it was applied. Restore it and write a new one instead.`,
      )
    }
    if (before) continue
    await apply(client, migration)
    done.push(migration.name)
  }
  return done
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query('begin')
    // A migration that cannot get its lock soon gives up, rather than queueing every reader behind it.
    await client.query(`set local lock_timeout = '5s'`)
    await client.query(migration.text)
    await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
      migration.version,
      migration.name,
      migration.checksum,
    ])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw new Error(`Migration ${migration.name} failed: ${(error as Error).message}`, { cause: error })
  }
}
