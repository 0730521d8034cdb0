import type { Worker } from '../workers/worker.ts'
import { workInHalves } from '../workers/halves.ts'
import { deliverTransfers } from './operations.ts'
import * as store from './store.ts'

/** Enough to amortise a commit, few enough to hold no lock long. */
const BATCH = 200

/** Brings transfers to other organizations home. */
export const transfersWorker: Worker = {
  name: 'transfers',
  nextDueAt: (db) => store.oldestPendingAt(db),
  async work(deps) {
    const keys = await store.findPending(deps.db, deps.now(), BATCH)
    await workInHalves(deps, 'transfers', keys, {
      async work(batch) {
        const moved = await deliverTransfers(deps, batch)
        await deps.happened(
          moved.map((row) => ({ kind: `transfer.${row.status}`, resourceType: 'transfer', resourceId: row.id })),
        )
      },
      setAside: (tx, key) => store.setAside(tx, key, deps.now()),
    })
    return keys.length
  },
}
