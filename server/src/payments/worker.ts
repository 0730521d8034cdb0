import { workInHalves } from '../workers/halves.ts'
import type { Worker, WorkerDeps } from '../workers/worker.ts'
import * as attempts from './attempt-store.ts'
import { askAboutPayments, endDueAttempts } from './operations/ask.ts'
import { expirePayments } from './operations/expire.ts'
import { settleDue } from './operations/settle.ts'
import * as queues from './queue-store.ts'
import type { PaymentKey, PaymentRow } from './store.ts'

/** Enough to amortise a commit, few enough to hold no lock long. */
const BATCH = 500
/** Questions take a network each: fewer at once. */
const ASK_BATCH = 100

/** Expires payments whose time is over. */
export const expiryWorker: Worker = queueWorker('payment-expiry', queues.expiring, BATCH, async (deps, batch) => {
  await tell(deps, await expirePayments(deps, batch))
})

/** Brings executed payments into the wallet when they are due. */
export const settlementWorker: Worker = queueWorker(
  'payment-settlement',
  queues.settling,
  BATCH,
  async (deps, batch) => {
    await tell(deps, await settleDue(deps, batch))
  },
)

/** Asks about payments whose notice has not come. */
export const questionWorker: Worker = queueWorker('payment-questions', queues.asking, ASK_BATCH, askAboutPayments)

/** Ends attempts at their rails when they lapse or nothing may come of them any more. */
export const attemptWorker: Worker = {
  name: 'payment-attempts',
  nextDueAt: (db) => attempts.nextVoidAt(db),
  async work(deps) {
    const due = await attempts.findVoiding(deps.db, deps.now(), ASK_BATCH)
    await workInHalves(deps, 'payment-attempts', due, {
      work: (batch) => endDueAttempts(deps, batch),
      setAside: (tx, attempt) => attempts.updateAttempts(tx, [{ ...attempt, voidAt: null, at: deps.now() }]),
    })
    return due.length
  },
}

function queueWorker(
  name: string,
  queue: queues.Queue,
  most: number,
  work: (deps: WorkerDeps, batch: readonly PaymentKey[]) => Promise<void>,
): Worker {
  return {
    name,
    nextDueAt: (db) => queue.nextAt(db),
    async work(deps) {
      const keys = await queue.due(deps.db, deps.now(), most)
      await workInHalves(deps, name, keys, {
        work: (batch) => work(deps, batch),
        setAside: (tx, key) => queues.setAside(tx, key, deps.now()),
      })
      return keys.length
    },
  }
}

function tell(deps: WorkerDeps, moved: readonly PaymentRow[]): Promise<void> {
  return deps.happened(
    moved.map(({ id, status }) => ({ kind: `payment.${status}`, resourceType: 'payment', resourceId: id })),
  )
}
