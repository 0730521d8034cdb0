import { join } from 'node:path'
import pg from 'pg'
import { parseConfig } from '../server/src/config.ts'
import { startEmbedded } from '../server/src/db/embedded/server.ts'
import { migrate } from '../server/src/db/migrate.ts'
import { createLog } from '../server/src/log.ts'
import {
  createCore,
  roles as allRoles,
  startService,
  type Core,
  type Role,
  type Service,
} from '../server/src/service.ts'
import { measureBaseline, prepareBaseline, type Baseline } from './baseline.ts'
import type { Bar, Figure, Report } from './report.ts'

/** As a production server is set up: every commit reaches the disk, checkpoints do not fall into each measurement. */
const POSTGRES_SETTINGS = [
  'shared_buffers=512MB',
  'max_wal_size=4GB',
  'checkpoint_timeout=15min',
  'random_page_cost=1.1',
  'max_connections=300',
]
const BASELINE_SECONDS = 3

/** What a bench works with. */
export type BenchContext = {
  /** What stood after the bench's name on the command line. */
  readonly words: readonly string[]
  /** A migrated, empty database of its own. */
  database(): Promise<string>
  /** The deployment's core on a fresh database, nothing running. */
  core(env?: Environment): Promise<Core>
  /** A service on a fresh database, in this process, not listening. */
  service(options?: { env?: Environment; roles?: readonly Role[] }): Promise<Service & { readonly databaseUrl: string }>
  /** Measures the baseline now. Measure it between one's own rounds: ratios use the mean of all measurements. */
  baseline(): Promise<Baseline>
  /** Adds a figure to the table. A ratio to the baseline is computed from its mean over the run. */
  figure(figure: Omit<Figure, 'ratio'> & { ratio?: number; perBaseline?: true }): void
  /** Says what had to be reached. Judged at the end of the run, when every ratio is known. */
  bar(name: string, judge: (ratioOf: (figure: string) => number) => { isMet: boolean; says: string }): void
  /** Runs `work` again and again for so many seconds on so many lanes at once; answers what it counted per second. */
  perSecond(seconds: number, lanes: number, work: (lane: number) => Promise<number>): Promise<number>
}

type Environment = Readonly<Record<string, string>>

export async function createBench(dataDir: string, words: readonly string[]) {
  const postgres = await startEmbedded({ dataDir: join(dataDir, 'postgres'), settings: POSTGRES_SETTINGS })
  const closing: (() => Promise<void>)[] = [postgres.stop]
  const { context, results } = contextOn(postgres.url, dataDir, words, closing)
  const version = await query<{ version: string }>(postgres.url, `select current_setting('server_version') as version`)
  return {
    context,
    results: () => ({ ...results(), postgres: `PostgreSQL ${version[0]?.version}` }),
    async close() {
      for (const close of closing.toReversed()) await close()
    },
  }
}

function contextOn(url: string, dataDir: string, words: readonly string[], closing: (() => Promise<void>)[]) {
  const baselines: Baseline[] = []
  const figures: (Figure & { perBaseline?: true })[] = []
  const bars: { name: string; judge: Parameters<BenchContext['bar']>[1] }[] = []
  const prepared = Promise.withResolvers<string>()
  let databases = 0
  let isPreparing = false

  async function makeDatabase(name: string): Promise<string> {
    await query(url, `create database ${name}`)
    const made = new URL(url)
    made.pathname = `/${name}`
    return made.href
  }

  const context: BenchContext = {
    words,
    async database() {
      databases += 1
      const made = await makeDatabase(`bench_${databases}`)
      await migrate(made)
      return made
    },
    async core(env = {}) {
      const core = createCore(configOf(dataDir, env), await context.database(), createLog('error'))
      closing.push(core.close)
      return core
    },
    async service({ env = {}, roles = allRoles } = {}) {
      const databaseUrl = await context.database()
      const service = await startService(createCore(configOf(dataDir, env), databaseUrl, createLog('error')), roles)
      service.app.enter('ready')
      closing.push(service.stop)
      return { ...service, databaseUrl }
    },
    async baseline() {
      if (!isPreparing) {
        isPreparing = true
        const made = await makeDatabase('baseline')
        await prepareBaseline(made)
        prepared.resolve(made)
      }
      const measured = await measureBaseline(await prepared.promise, BASELINE_SECONDS)
      baselines.push(measured)
      return measured
    },
    figure: (figure) => void figures.push(figure),
    bar: (name, judge) => void bars.push({ name, judge }),
    perSecond,
  }
  return { context, results: () => resultsOf(baselines, figures, bars) }
}

function resultsOf(
  baselines: readonly Baseline[],
  figures: readonly (Figure & { perBaseline?: true })[],
  bars: readonly { name: string; judge: Parameters<BenchContext['bar']>[1] }[],
): Pick<Report, 'baselines' | 'figures' | 'bars'> {
  const mean = baselines.reduce((sum, { perSecond: rate }) => sum + rate, 0) / baselines.length
  const told = figures.map(({ perBaseline, ...figure }) =>
    perBaseline ? { ...figure, ratio: figure.value / mean } : figure,
  )
  const ratioOf = (name: string): number => {
    const ratio = told.find((figure) => figure.name === name)?.ratio
    if (ratio === undefined) throw new Error(`The bench has no ratio called "${name}".`)
    return ratio
  }
  return { baselines, figures: told, bars: bars.map(({ name, judge }): Bar => ({ name, ...judge(ratioOf) })) }
}

async function perSecond(seconds: number, lanes: number, work: (lane: number) => Promise<number>): Promise<number> {
  let counted = 0
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      while (performance.now() < endsAt) {
        // Not "counted += await …": that reads the sum before the wait and forgets what other lanes add meanwhile.
        const done = await work(lane)
        counted += done
      }
    }),
  )
  return counted / ((performance.now() - startedAt) / 1000)
}

function configOf(dataDir: string, env: Environment) {
  return parseConfig({ KOLO_DATA_DIR: dataDir, KOLO_LOG_LEVEL: 'error', ...env })
}

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}
