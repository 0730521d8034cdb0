import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Deps } from '../deps.ts'
import { EVERYBODY, type WakeHub } from './wake.ts'
import * as store from './store.ts'
import type { Worker } from './worker.ts'

/** This process among the others: heard of every second, known by an id that claims are made under. */
export type Presence = {
  id(): string
  /** Whether others still hear of this process: false once its heartbeat has failed for as long as costs it its claims. */
  isHeard(): boolean
  /** Says where this process listens, so that others find it. */
  announce(addresses: store.Addresses): Promise<void>
  /** Reads the clock as the database has it and says so. */
  syncClock(): Promise<void>
  leave(): Promise<void>
}

const BEAT_MS = 1_000
const MIN_BEAT_MS = 200

export async function joinDeployment(
  deps: Deps,
  roles: readonly string[],
  workers: readonly Worker[],
  hub: WakeHub,
): Promise<Presence> {
  // A fifth of the silence that costs a process its claims, so that a few late beats cost nothing.
  const beatMs = Math.max(MIN_BEAT_MS, Math.min(BEAT_MS, deps.config.workerSilenceMs / 5))
  let addresses: store.Addresses = {}
  let id = await join()
  let isLeaving = false
  let beating: Promise<void> = Promise.resolve()
  let heardMs = performance.now()

  async function join(): Promise<string> {
    const next = randomUUID()
    await deps.db.transaction((tx) =>
      store.joinProcesses(tx, { id: next, roles, host: hostname(), pid: process.pid, ...addresses }),
    )
    return next
  }

  /** Takes over the clock, shows a sign of life, and gives up processes that show none. */
  async function beat(): Promise<void> {
    const clock = await store.readClock(deps.db)
    deps.clock.apply(clock)
    const { isKnown, areOthersSilent } = await store.beat(deps.db, id, clock.revision, deps.config.workerSilenceMs)
    heardMs = performance.now()
    // Others gave this process up: what it claimed is no longer its own, and it begins again under a new name.
    if (!isKnown && !isLeaving) id = await join()
    if (areOthersSilent) await giveUpSilent()
  }

  async function giveUpSilent(): Promise<void> {
    await deps.db.transaction(async (tx) => {
      const gone = await store.reapProcesses(tx, deps.config.workerSilenceMs)
      if (gone.length === 0) return
      deps.log.warn({ processes: gone }, 'processes fell silent: their claims are free')
      for (const worker of workers) await worker.release?.(tx, gone)
      await store.finishClockMove(tx, gone)
      tx.wake(EVERYBODY)
    })
  }

  const run = () =>
    (beating = beating.then(beat).catch((error: unknown) => deps.log.warn({ err: error }, 'a heartbeat failed')))
  const timer = setInterval(() => void run(), beatMs)
  const stopListening = hub.onWake(EVERYBODY, () => void run())
  await beat()

  return {
    id: () => id,
    isHeard: () => performance.now() - heardMs < deps.config.workerSilenceMs,
    async announce(more) {
      addresses = { ...addresses, ...more }
      await deps.db.transaction((tx) => store.announceAddresses(tx, id, addresses))
    },
    syncClock: run,
    async leave() {
      isLeaving = true
      clearInterval(timer)
      stopListening()
      await beating
      await deps.db.transaction(async (tx) => {
        for (const worker of workers) await worker.release?.(tx, [id])
        // Nobody else would set the clock going again: a process that has left is not given up.
        if (await store.finishClockMove(tx, [id])) tx.wake(EVERYBODY)
        await store.leaveProcesses(tx, id)
      })
    },
  }
}
