import { setTimeout as pause } from 'node:timers/promises'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import { ensurePartitions } from '../db/partitions.ts'
import { EVERYBODY } from '../workers/wake.ts'
import * as store from '../workers/store.ts'
import type { Worker } from '../workers/worker.ts'

/** What moving the clock needs to know of the process it runs in. */
export type ClockMover = {
  readonly workers: readonly Worker[]
  readonly processId: () => string
  readonly syncClock: () => Promise<void>
}

const ANSWER_AFTER_MS = 60_000
const MAX_LISTED = 1_000
/** How often the books are asked whether anything is still due. */
const POLL_MIN_MS = 2
const POLL_MAX_MS = 50

export type Advanced = {
  now: string
  offsetSeconds: number
  happened: { at: string; kind: string; resourceType: string; resourceId: string }[]
  total: number
  complete: boolean
}

export function clockNow({ now, clock }: Deps): { now: string; offsetSeconds: number } {
  return { now: now().toISOString(), offsetSeconds: Number(clock.setting().offsetMs) / 1000 }
}

/**
 * Moves the service clock forward, from due instant to due instant. At each the clock stands still until no worker
 * finds work, so that what follows from it is counted from exactly that instant; then it goes on.
 */
export async function advanceClock(deps: Deps, mover: ClockMover, seconds: number): Promise<Advanced> {
  const lengthMs = seconds * 1000
  await ensurePartitions(deps.db, deps.now(), new Date(deps.now().getTime() + lengthMs))
  const before = await store.lastHappening(deps.db)
  const from = await begin(deps, mover, lengthMs)
  const to = new Date(from.getTime() + lengthMs)
  const moving = stepThrough(deps, mover, from, to)
  const complete = await Promise.race([moving, pause(ANSWER_AFTER_MS, false, { ref: false })])
  // Past the deadline the rest goes on without us; a failure of it is in the log.
  if (!complete) moving.catch((error: unknown) => deps.log.error({ err: error }, 'moving the clock failed'))
  const happened = await store.listHappenings(deps.db, before, MAX_LISTED)
  return {
    ...clockNow(deps),
    happened: happened.map(({ at, kind, resourceType, resourceId }) => ({
      at: at.toISOString(),
      kind,
      resourceType,
      resourceId,
    })),
    total: happened[0]?.total ?? 0,
    complete,
  }
}

async function begin(deps: Deps, mover: ClockMover, lengthMs: number): Promise<Date> {
  const { from, started } = await deps.db.transaction(async (tx) => {
    // A move that has just ended may not be known here yet: read without it, this clock would be behind the others'.
    deps.clock.apply(await store.lockClock(tx))
    const at = deps.now()
    return { from: at, started: await store.startClockMove(tx, BigInt(lengthMs), at, mover.processId()) }
  })
  if (!started) throw new Refusal('clock_busy')
  await takenOver(deps, mover, started)
  return from
}

async function stepThrough(deps: Deps, mover: ClockMover, from: Date, to: Date): Promise<true> {
  try {
    let at = from
    for (;;) {
      const due = await settled(deps, mover, at)
      if (!due || due > to) break
      at = due
      await step(deps, mover, at)
    }
    if (at < to) {
      await step(deps, mover, to)
      await settled(deps, mover, to)
    }
  } finally {
    const finished = await deps.db.transaction((tx) => store.finishClockMove(tx, [mover.processId()]))
    if (finished) await takenOver(deps, mover, finished)
  }
  return true
}

async function step(deps: Deps, mover: ClockMover, to: Date): Promise<void> {
  const stepped = await deps.db.transaction((tx) => store.stepClock(tx, to, mover.processId()))
  if (!stepped) throw new Error('the clock is no longer ours to move')
  await takenOver(deps, mover, stepped)
}

/** Waits until every living process goes by the new setting, and lets them all look for work. */
async function takenOver(deps: Deps, mover: ClockMover, setting: store.ClockRow): Promise<void> {
  deps.clock.apply(setting)
  await mover.syncClock()
  await deps.db.transaction(async (tx) => tx.wake(EVERYBODY))
  await until(async () => (await store.countLagging(deps.db, setting.revision, deps.config.workerSilenceMs)) === 0)
}

/** Waits until nothing is due at `at` any more; answers when the next thing is. */
async function settled(deps: Deps, { workers }: ClockMover, at: Date): Promise<Date | null> {
  let next: Date | null = null
  await until(async () => {
    const due = await Promise.all(workers.map((worker) => worker.nextDueAt(deps.db)))
    const instants = due.filter((instant) => instant !== null)
    next = instants.length === 0 ? null : new Date(Math.min(...instants.map((instant) => instant.getTime())))
    return next === null || next > at
  })
  return next
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  for (let waitMs = POLL_MIN_MS; !(await isDone()); waitMs = Math.min(waitMs * 2, POLL_MAX_MS)) await pause(waitMs)
}
