import { workInHalves } from '../../workers/halves.ts'
import type { Worker } from '../../workers/worker.ts'
import { applyNotices, type NoticeHandlers } from './operations.ts'
import * as store from './store.ts'

/** Enough to amortise a commit on one hot wallet, few enough to hold its row lock only briefly. */
const BATCH = 500
/** A notice belongs to no organization until a handler has found whose it is. */
const NOBODY_YET = '00000000-0000-0000-0000-000000000000'

/** Applies what providers have told us. */
export function noticesWorker(handlers: NoticeHandlers): Worker {
  return {
    name: 'notices',
    nextDueAt: (db) => store.oldestWaitingAt(db),
    async work(deps) {
      const ids = await store.findWaiting(deps.db, BATCH)
      const rows = ids.map((id) => ({ id, organizationId: NOBODY_YET }))
      await workInHalves(deps, 'notices', rows, {
        work: (batch) =>
          applyNotices(
            deps,
            handlers,
            batch.map(({ id }) => id),
          ),
        setAside: (tx, { id }) => store.setNoticeAside(tx, id, deps.now()),
      })
      return ids.length
    },
  }
}
