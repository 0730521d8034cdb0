import type { Tx } from '../../db/database.ts'
import { isUnavailable } from '../../db/database.ts'
import { workInHalves } from '../../workers/halves.ts'
import type { Worker, WorkerDeps } from '../../workers/worker.ts'
import { applyNotices, type NoticeHandlers } from './operations.ts'
import * as store from './store.ts'

/** Enough to amortise a commit on one hot wallet, few enough to hold its row lock only briefly. */
const BATCH = 500
/** While one batch is in the database the next is being prepared; more would only wait for the same wallet. */
const LANES = 2
/** After so many batches a lane lets the loop look whether it is to stop. */
const MOST_BATCHES = 8
/** A notice belongs to no organization until a handler has found whose it is. */
const NOBODY_YET = '00000000-0000-0000-0000-000000000000'

/** Applies what providers have told us. */
export function noticesWorker(handlers: NoticeHandlers): Worker {
  return {
    name: 'notices',
    nextDueAt: (db) => store.oldestWaitingAt(db),
    async work(deps) {
      const lanes: Promise<number>[] = []
      // A full batch means a backlog, and only a backlog is worth a second lane.
      function openLane(): void {
        if (lanes.length < LANES) lanes.push(applyBatches(deps, handlers, openLane))
      }
      openLane()
      let ended: PromiseSettledResult<number>[] = []
      while (ended.length < lanes.length) ended = await Promise.allSettled(lanes)
      return ended.reduce((sum, lane) => sum + countOf(lane), 0)
    },
  }
}

function countOf(lane: PromiseSettledResult<number>): number {
  if (lane.status === 'rejected') throw lane.reason
  return lane.value
}

async function applyBatches(deps: WorkerDeps, handlers: NoticeHandlers, onFull: () => void): Promise<number> {
  let applied = 0
  for (let batch = 0; batch < MOST_BATCHES; batch += 1) {
    const count = await applyBatch(deps, handlers, onFull)
    applied += count
    if (count < BATCH) break
  }
  return applied
}

/** Applies the next batch as a whole; where that fails, in halves, until the notice it fails for stands alone. */
async function applyBatch(deps: WorkerDeps, handlers: NoticeHandlers, onFull: () => void): Promise<number> {
  let taken: string[] = []
  async function take(tx: Tx): Promise<store.WaitingRow[]> {
    const rows = await store.takeWaiting(tx, BATCH)
    taken = rows.map(({ id }) => id)
    if (taken.length === BATCH) onFull()
    return rows
  }
  try {
    return await applyNotices(deps, handlers, take)
  } catch (error) {
    if (isUnavailable(error) || taken.length === 0) throw error
    const rows = taken.map((id) => ({ id, organizationId: NOBODY_YET }))
    await workInHalves(deps, 'notices', rows, {
      async work(batch) {
        const ids = batch.map(({ id }) => id)
        await applyNotices(deps, handlers, (tx) => store.takeThese(tx, ids))
      },
      setAside: (tx, { id }) => store.setNoticeAside(tx, id, deps.now()),
    })
    return taken.length
  }
}
