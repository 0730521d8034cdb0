import type { Logger } from 'pino'
import { createApp, type App } from './app.ts'
import { createTokens } from './auth/tokens.ts'
import { createClock } from './clock.ts'
import type { Config } from './config.ts'
import { openDatabase, type Database } from './db/database.ts'
import { ensurePartitions } from './db/partitions.ts'
import type { Deps } from './deps.ts'
import { faultPointOf } from './fault-point.ts'
import { newId } from './ids.ts'
import { keysOf } from './local-secrets.ts'
import { createMetrics } from './metrics.ts'
import { createRails } from './rails/registry.ts'
import { createSecrets } from './secrets.ts'
import { openMissingWallets } from './wallets/operations.ts'
import { createSandboxProvider, railsOf } from './sandbox-provider.ts'
import { happenings } from './workers/happenings.ts'
import { createNameLookup } from './webhooks/lookup.ts'
import { runLoop } from './workers/loop.ts'
import { joinDeployment } from './workers/presence.ts'
import { createWorkers } from './workers/registry.ts'
import { createWakeHub, type WakeHub } from './workers/wake.ts'
import type { WorkerDeps } from './workers/worker.ts'

export const roles = ['api', 'worker', 'simulator'] as const
export type Role = (typeof roles)[number]

const MIN_IDLE_IN_TRANSACTION_MS = 2_000

export type Core = {
  readonly databaseUrl: string
  readonly deps: Deps
  readonly db: Database
  /** One connection for the heartbeat: a process that is busy with all the others is not silent. */
  readonly heartbeatDb: Database
  readonly hub: WakeHub
  setPublicUrl(url: string): void
  close(): Promise<void>
}

/** What every command works with: the database and what hangs on it. Nothing runs yet. */
export function createCore(config: Config, databaseUrl: string, log: Logger): Core {
  const hub = createWakeHub(databaseUrl, log)
  const open = (name: string, poolSize: number) =>
    openDatabase({
      url: databaseUrl,
      poolSize,
      waitMs: config.databaseWaitMs,
      // As long as costs a process its claims; no shorter than what a busy machine may need between two statements.
      idleInTransactionMs: Math.max(MIN_IDLE_IN_TRANSACTION_MS, config.workerSilenceMs),
      name,
      onWake: hub.wake,
      onError: (error) => log.warn({ err: error }, 'an idle database connection broke'),
    })
  const db = open('kolo', config.databasePoolSize)
  const heartbeatDb = open('kolo heartbeat', 1)
  const clock = createClock()
  const { masterKeys, jwtKeys } = keysOf(config)
  const metrics = createMetrics()
  const secrets = createSecrets(masterKeys)
  let publicUrl = config.publicUrl ?? 'http://localhost:4000'
  const deps: Deps = {
    config,
    db,
    clock,
    now: clock.now,
    newId,
    log,
    metrics,
    secrets,
    tokens: createTokens(jwtKeys, config.env),
    rails: createRails(railsOf(config, db, secrets), metrics),
    publicUrl: () => publicUrl,
    onWake: hub.onWake,
    faultPoint: faultPointOf(config.faultPoint),
    lookup: createNameLookup(),
  }
  return {
    databaseUrl,
    deps,
    db,
    heartbeatDb,
    hub,
    setPublicUrl: (url) => (publicUrl = config.publicUrl ?? url),
    async close() {
      await hub.close()
      await heartbeatDb.close()
      await db.close()
    },
  }
}

export type Service = {
  readonly deps: Deps
  readonly app: App
  /** Says where this process serves the API, once it listens. */
  announce(apiUrl: string): Promise<void>
  stop(): Promise<void>
}

/** Starts a process in its roles on a migrated database. It does not listen yet. */
export async function startService(core: Core, wanted: readonly Role[]): Promise<Service> {
  const { deps, hub, db, heartbeatDb } = core
  const workers = createWorkers()
  hub.listen()
  const presence = await joinDeployment({ ...deps, db: heartbeatDb }, wanted, workers, hub)
  await ensurePartitions(db, deps.now())
  await openMissingWallets(deps)
  const mover = { workers, processId: presence.id, syncClock: presence.syncClock }
  const app = await createApp(deps, presence.isHeard, wanted.includes('api') ? mover : undefined)
  const workerDeps: WorkerDeps = { ...deps, processId: presence.id, happened: happenings(deps) }
  const loops = wanted.includes('worker') ? workers.map((worker) => runLoop(worker, workerDeps, hub)) : []
  const simulator = wanted.includes('simulator') ? await createSandboxProvider(core) : undefined
  if (simulator) await presence.announce({ simulatorUrl: simulator.url })
  const poolWatch = watchPool(core)
  async function drainWorkers(): Promise<void> {
    await Promise.all(loops.map((loop) => loop.stop()))
    for (const worker of workers) await worker.stop?.()
  }
  return {
    deps,
    app,
    announce: (apiUrl) => (wanted.includes('api') ? presence.announce({ apiUrl }) : Promise.resolve()),
    async stop() {
      app.enter('draining')
      clearInterval(poolWatch)
      await within(deps.config.drainMs, Promise.all([app.fastify.close(), drainWorkers()]))
      await simulator?.close()
      await presence.leave().catch((error: unknown) => deps.log.warn({ err: error }, 'left without saying so'))
      await core.close()
    },
  }
}

const POOL_WATCH_MS = 1_000

function watchPool({ deps, db }: Core): NodeJS.Timeout {
  return setInterval(() => {
    const { totalCount, idleCount, waitingCount } = db.pool
    deps.metrics.poolConnections.set({ state: 'busy' }, totalCount - idleCount)
    deps.metrics.poolConnections.set({ state: 'idle' }, idleCount)
    deps.metrics.poolConnections.set({ state: 'waiting' }, waitingCount)
  }, POOL_WATCH_MS).unref()
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, ms).unref())
  await Promise.race([work, late])
}
