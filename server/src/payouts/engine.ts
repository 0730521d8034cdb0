import { isUnavailable } from '../db/database.ts'
import { workInHalves } from '../workers/halves.ts'
import type { WorkerDeps } from '../workers/worker.ts'
import { FIRST_ASK_MS } from './conversation.ts'
import { releaseStrays } from './order-store.ts'
import { claimDue, claimPending, converse, recordAnswers, setOrderAside } from './operations/send.ts'
import type { Answered, Claimed } from './operations/send.ts'

/** Orders in the hands of one process: while some are being called, others are claimed and recorded. */
const MAX_UNDER_WAY = 256
/** Rows of one claim and of one recording: enough to amortise a commit, few enough to hold its locks briefly. */
const BATCH = 128
/** How long an answer may wait for others to be recorded with it. */
const RECORD_WAIT_MS = 4
/** After a batch the database did not take. */
const RECORD_PAUSE_MS = 250
/** How often claims are looked for that nobody knows of; after a claim that failed at the next round. */
const STRAYS_MS = 10_000

export type Engine = {
  /** Claims what is due, as far as there are places, and begins to call. Answers how many rows it took. */
  claim(): Promise<number>
  /** Waits for what is under way and records it. */
  stop(): Promise<void>
}

/** Claims, calls and records in batches that overlap: an order that hangs holds its own place and nothing else. */
export function createEngine(deps: WorkerDeps): Engine {
  const held = new Set<Claimed>()
  let straysSoughtAtMs = -STRAYS_MS
  let calling = 0
  let isStopping = false
  let isFull = false
  let claiming: Promise<number> = Promise.resolve(0)
  let waiting: (Answered & { readonly order: Claimed })[] = []
  let timer: NodeJS.Timeout | undefined
  let recording: Promise<void> | undefined

  /** One claim at a time, so that each sees the places the one before has left. */
  function claimNext(): Promise<number> {
    claiming = claiming.catch(() => 0).then(claim)
    // The database may have claimed and its answer been lost.
    claiming.catch(() => (straysSoughtAtMs = -STRAYS_MS))
    return claiming
  }

  async function freeStrays(): Promise<void> {
    if (performance.now() - straysSoughtAtMs < STRAYS_MS) return
    const ids = [...held].map(({ id }) => id)
    await deps.db.transaction((tx) => releaseStrays(tx, deps.processId(), ids, FIRST_ASK_MS))
    straysSoughtAtMs = performance.now()
  }

  async function claim(): Promise<number> {
    const free = Math.min(BATCH, MAX_UNDER_WAY - held.size)
    isFull = free <= 0
    if (isStopping || isFull) return 0
    await freeStrays()
    const due = await claimDue(deps, free)
    due.forEach(begin)
    const fresh = due.length < free ? await claimPending(deps, free - due.length) : []
    if (fresh.length > 0) deps.faultPoint('payout.processing_committed')
    fresh.forEach(begin)
    isFull = due.length + fresh.length === free
    return due.length + fresh.length
  }

  function begin(order: Claimed): void {
    held.add(order)
    calling += 1
    void call(order).finally(() => {
      calling -= 1
      if (calling === 0 || waiting.length >= BATCH) flush()
      else timer ??= setTimeout(flush, RECORD_WAIT_MS)
    })
  }

  async function call(order: Claimed): Promise<void> {
    try {
      const answer = await converse(deps, order)
      deps.faultPoint('payout.answered')
      deps.metrics.payoutAnswers.inc({ rail: order.rail, step: order.step, answer: answer.state })
      waiting.push({ ...order, answer, order })
    } catch (error) {
      // A rail never throws for an expected failure. What it did before it threw nobody knows.
      deps.log.error(
        { err: error, payoutId: order.id, rail: order.rail },
        'a call to a rail failed for a fault of ours',
      )
      waiting.push({ ...order, answer: { state: 'unknown', cause: (error as Error).message }, order })
    }
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    recording ??= record().finally(() => {
      recording = undefined
      if (waiting.length > 0) flush()
    })
  }

  async function record(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH)
      waiting = waiting.slice(BATCH)
      try {
        await workInHalves(deps, 'payouts', batch, {
          work: (part) => recordAnswers(deps, part),
          setAside: setOrderAside,
        })
        deps.faultPoint('payout.record_committed')
        for (const { order } of batch) held.delete(order)
        refill()
      } catch (error) {
        deps.log[isUnavailable(error) ? 'warn' : 'error']({ err: error }, 'answers of rails could not be recorded yet')
        waiting = [...batch, ...waiting]
        await new Promise((resolve) => setTimeout(resolve, RECORD_PAUSE_MS))
      }
    }
  }

  /** Places are free again: what waits for one takes it at once, and not at the next poll. */
  function refill(): void {
    if (isFull) claimNext().catch((error: unknown) => deps.log.warn({ err: error }, 'a claim failed'))
  }

  return {
    claim: claimNext,
    async stop() {
      isStopping = true
      await claiming.catch(() => 0)
      while (calling > 0 || waiting.length > 0 || recording) {
        if (waiting.length > 0) flush()
        await new Promise((resolve) => setTimeout(resolve, RECORD_WAIT_MS))
      }
    },
  }
}
