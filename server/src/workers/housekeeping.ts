import { ensurePartitions } from '../db/partitions.ts'
import { countSetAside } from './store.ts'
import type { Worker, WorkerDeps } from './worker.ts'

/** Forgets what has outlived its use, at most `most` rows; answers how many. */
export type Forget = (deps: WorkerDeps, most: number) => Promise<number>

const BATCH = 1_000
/** Housekeeping is never urgent; once a minute, by the wall clock, is often enough. */
const EVERY_MS = 60_000

/** Makes partitions ahead and lets each noun forget what is old. Nothing in it falls due at an instant. */
export function housekeepingWorker(chores: readonly Forget[]): Worker {
  let nextRunMs = 0
  return {
    name: 'housekeeping',
    nextDueAt: async () => null,
    async work(deps) {
      if (performance.now() < nextRunMs) return 0
      nextRunMs = performance.now() + EVERY_MS
      await ensurePartitions(deps.db, deps.now())
      for (const { worker, count } of await countSetAside(deps.db)) deps.metrics.setAside.set({ worker }, count)
      let forgotten = 0
      for (const forget of chores) {
        const rows = await forget(deps, BATCH)
        forgotten += rows
        // A full batch means there is more: go on at once.
        if (rows === BATCH) nextRunMs = 0
      }
      return forgotten
    },
  }
}
