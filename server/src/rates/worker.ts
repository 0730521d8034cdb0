import type { Worker } from '../workers/worker.ts'
import { refreshRates } from './operations.ts'
import { configuredSource } from './source.ts'

/** Reads the configured source again and again. A broken one stops nothing: old rates serve until they are too old. */
export function ratesWorker(): Worker {
  let nextRunMs = 0
  return {
    name: 'rates',
    nextDueAt: async () => null,
    async work(deps) {
      const source = configuredSource(deps.config)
      if (!source || performance.now() < nextRunMs) return 0
      nextRunMs = performance.now() + deps.config.ratesRefreshSeconds * 1000
      await refreshRates(deps, source)
      return 0
    },
  }
}
