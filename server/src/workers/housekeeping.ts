import { ensurePartitions } from '../db/partitions.ts'
import { purgeKeys } from '../http/idempotency-store.ts'
import { purgeQuotes } from '../rates/store.ts'
import { countSetAside } from './store.ts'
import type { Worker, WorkerDeps } from './worker.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const BATCH = 1_000
/** Housekeeping is never urgent; once a minute, by the wall clock, is often enough. */
const EVERY_MS = 60_000

/** Makes partitions ahead and forgets what has outlived its use. Nothing in it falls due at an instant. */
export function housekeepingWorker(): Worker {
  let nextRunMs = 0
  return {
    name: 'housekeeping',
    nextDueAt: async () => null,
    async work(deps) {
      if (performance.now() < nextRunMs) return 0
      nextRunMs = performance.now() + EVERY_MS
      await ensurePartitions(deps.db, deps.now())
      for (const { worker, count } of await countSetAside(deps.db)) deps.metrics.setAside.set({ worker }, count)
      const forgotten = await forgetOld(deps)
      // A full batch means there is more: go on at once.
      if (forgotten === BATCH) nextRunMs = 0
      return forgotten
    },
  }
}

async function forgetOld(deps: WorkerDeps): Promise<number> {
  const dayAgo = new Date(deps.now().getTime() - DAY_MS)
  await deps.db.transaction((tx) => purgeQuotes(tx, new Date(dayAgo.getTime() - 30 * DAY_MS), BATCH))
  return deps.db.transaction((tx) => purgeKeys(tx, dayAgo, BATCH))
}
