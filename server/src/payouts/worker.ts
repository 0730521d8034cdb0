import type { Worker } from '../workers/worker.ts'
import { workInHalves } from '../workers/halves.ts'
import { FIRST_ASK_MS } from './conversation.ts'
import { createEngine, type Engine } from './engine.ts'
import { cancelUndecided } from './operations/decide.ts'
import { happeningsOf } from './operations/send.ts'
import { nextDueAt, releaseOrders } from './order-store.ts'
import { DECISION_MS } from './states.ts'
import * as store from './store.ts'

/** Hands payouts to the rail and asks about them. What it has begun goes on between its rounds. */
export function payoutsWorker(): Worker {
  let engine: Engine | undefined
  return {
    name: 'payouts',
    nextDueAt,
    work: (deps) => (engine ??= createEngine(deps)).claim(),
    release: (tx, processIds) => releaseOrders(tx, processIds, FIRST_ASK_MS),
    stop: async () => engine?.stop(),
  }
}

const BATCH = 200

/** Cancels payouts nobody decided about. */
export const payoutDecisionsWorker: Worker = {
  name: 'payout-decisions',
  async nextDueAt(db) {
    const oldest = await store.oldestUndecidedAt(db)
    return oldest && new Date(oldest.getTime() + DECISION_MS)
  },
  async work(deps) {
    const keys = await store.findUndecided(deps.db, new Date(deps.now().getTime() - DECISION_MS), BATCH)
    await workInHalves(deps, 'payout-decisions', keys, {
      work: async (batch) => deps.happened(happeningsOf(await cancelUndecided(deps, batch))),
      setAside: (tx, key) => store.setAside(tx, key, deps.now()),
    })
    return keys.length
  },
}
