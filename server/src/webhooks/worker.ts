import type { Worker } from '../workers/worker.ts'
import { createEngine, type Engine } from './engine.ts'
import { nextDueAt, releaseClaims } from './queue-store.ts'

/** Sends what is due. What it has begun goes on between its rounds, so that no round waits for an endpoint. */
export function webhooksWorker(): Worker {
  let engine: Engine | undefined
  return {
    name: 'webhooks',
    nextDueAt,
    work: (deps) => (engine ??= createEngine(deps)).claim(),
    release: releaseClaims,
    stop: async () => engine?.stop(),
  }
}
