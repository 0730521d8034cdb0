import { workInHalves } from '../workers/halves.ts'
import type { Worker } from '../workers/worker.ts'
import { sendReturns } from './operations.ts'
import * as store from './store.ts'

const BATCH = 50

/** Sends back what a person decided to return, until the rail says that it is done. */
export const returnsWorker: Worker = {
  name: 'review-returns',
  nextDueAt: (db) => store.nextReturnAt(db),
  async work(deps) {
    const keys = await store.findDueReturns(deps.db, deps.now(), BATCH)
    await workInHalves(deps, 'review-returns', keys, {
      work: (batch) => sendReturns(deps, batch),
      setAside: (tx, key) => store.stopReturn(tx, key),
    })
    return keys.length
  },
}
