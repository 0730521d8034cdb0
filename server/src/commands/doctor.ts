import { parseArgs } from 'node:util'
import { wallNow } from '../clock.ts'
import { readConfig } from '../config.ts'
import { readMigrations } from '../db/migrate.ts'
import { statement } from '../db/sql.ts'
import { createLog } from '../log.ts'
import { createCore, type Core } from '../service.ts'
import { countSetAside, readClock } from '../workers/store.ts'
import { provideDatabase } from './database.ts'
import { examineRails } from './doctor-rails.ts'
import { say } from './output.ts'

export type Finding = { readonly check: string; readonly isFine: boolean; readonly says: string }

/** The clocks of this machine and of the database may differ by this much before leases and signatures suffer. */
const CLOCK_SKEW_MS = 2_000

/** kolo doctor [--json]: looks at everything a start depends on, and says what to do about what is wrong. */
export async function doctor(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { json: { type: 'boolean' } } })
  const findings = await examine()
  const isFine = findings.every((finding) => finding.isFine)
  say(
    values.json
      ? JSON.stringify({ isFine, findings })
      : findings.map(({ check, isFine: fine, says }) => `${fine ? 'ok   ' : 'WRONG'}  ${check}: ${says}`).join('\n'),
  )
  process.exitCode = isFine ? 0 : 1
}

async function examine(): Promise<Finding[]> {
  let config
  try {
    config = readConfig()
  } catch (error) {
    return [{ check: 'configuration', isFine: false, says: (error as Error).message }]
  }
  const configuration = {
    check: 'configuration',
    isFine: true,
    says: `${config.env}, ${config.databaseUrl ? 'DATABASE_URL' : `embedded PostgreSQL in ${config.dataDir}`}`,
  }
  try {
    const database = await provideDatabase(config)
    const core = createCore(config, database.url, createLog('silent'))
    try {
      return [configuration, ...(await examineDatabase(core))]
    } finally {
      await core.close()
      await database.stop()
    }
  } catch (error) {
    return [
      configuration,
      {
        check: 'database',
        isFine: false,
        says: `${(error as Error).message} Check that it runs and that DATABASE_URL is right.`,
      },
    ]
  }
}

async function examineDatabase(core: Core): Promise<Finding[]> {
  const { db } = core
  const { version, now } = await db.one<{ version: string; now: Date }>(
    statement(`select current_setting('server_version') as version, clock_timestamp() as now`),
  )
  const skewMs = Math.abs(now.getTime() - wallNow().getTime())
  const findings: Finding[] = [
    {
      check: 'database',
      isFine: Number.parseInt(version) >= 15,
      says: `PostgreSQL ${version}${Number.parseInt(version) >= 15 ? '' : '; use 15 or later'}`,
    },
    {
      check: 'clocks',
      isFine: skewMs < CLOCK_SKEW_MS,
      says: `${skewMs} ms between this machine and the database${skewMs < CLOCK_SKEW_MS ? '' : '; set both by NTP'}`,
    },
  ]
  const migrations = await examineMigrations(db)
  return migrations.isFine
    ? [...findings, migrations, ...(await examineRows(db)), ...(await examineRails(core))]
    : [...findings, migrations]
}

async function examineMigrations(db: Core['db']): Promise<Finding> {
  const known = readMigrations()
  const [table] = await db.many<{ exists: boolean }>(
    statement(`select to_regclass('schema_migrations') is not null as exists`),
  )
  const rows = table?.exists
    ? await db.many<{ version: number; checksum: string }>(statement('select version, checksum from schema_migrations'))
    : []
  const applied = new Map(rows.map((row) => [row.version, row.checksum]))
  const missing = known.filter(({ version }) => !applied.has(version)).map(({ name }) => name)
  const changed = known
    .filter(({ version, checksum }) => applied.has(version) && applied.get(version) !== checksum)
    .map(({ name }) => name)
  if (changed.length > 0)
    return {
      check: 'migrations',
      isFine: false,
      says: `${changed.join(', ')} changed after being applied; restore them`,
    }
  if (missing.length > 0)
    return { check: 'migrations', isFine: false, says: `${missing.join(', ')} not applied; run "kolo migrate"` }
  const newest = known.at(-1)?.version ?? 0
  if (rows.some(({ version }) => version > newest))
    return { check: 'migrations', isFine: false, says: 'the schema is newer than this Kolo; start a newer one' }
  return { check: 'migrations', isFine: true, says: `${known.length} applied` }
}

async function examineRows(db: Core['db']): Promise<Finding[]> {
  const aside = await countSetAside(db)
  const clock = await readClock(db)
  const { alive } = await db.one<{ alive: number }>(
    statement(
      `select count(*)::integer as alive from processes where heartbeat_at > clock_timestamp() - interval '10 seconds'`,
    ),
  )
  return [
    {
      check: 'service clock',
      isFine: true,
      says: clock.offsetMs === 0n ? 'on the wall clock' : `${clock.offsetMs / 1000n} s ahead of the wall clock`,
    },
    { check: 'processes', isFine: true, says: `${alive} running` },
    {
      check: 'rows set aside',
      isFine: aside.length === 0,
      says:
        aside.length === 0
          ? 'none'
          : `${aside.map(({ worker, count }) => `${count} of ${worker}`).join(', ')}; look at rows_set_aside for the errors`,
    },
  ]
}
