import { isUnavailable } from '../db/database.ts'
import { workInHalves } from '../workers/halves.ts'
import type { WorkerDeps } from '../workers/worker.ts'
import * as store from './queue-store.ts'

/** How long an ended attempt may wait for others to be recorded with it. */
const RECORD_WAIT_MS = 5
const RECORD_ROWS = 500
/** After a batch the database did not take. */
const RECORD_PAUSE_MS = 250

export type Ended = store.Result

type OnRecorded<E> = (ended: readonly E[], recorded: readonly store.Recorded[]) => void

/** Records ended attempts in batches. One that the database does not take now waits here and keeps its place. */
export function createRecorder<E extends Ended>(deps: WorkerDeps, onRecorded: OnRecorded<E>) {
  let waiting: E[] = []
  let timer: NodeJS.Timeout | undefined
  let recording: Promise<void> | undefined

  async function record(batch: readonly E[]): Promise<store.Recorded[]> {
    const recorded: store.Recorded[] = []
    await workInHalves(deps, 'webhooks', batch, {
      async work(part) {
        await deps.db.transaction(async (tx) => {
          const rows = await store.recordResults(tx, part)
          await deps.happened(
            rows.map(({ id, status }) => ({
              kind: status === 'pending' ? 'webhook.retrying' : `webhook.${status}`,
              resourceType: 'delivery',
              resourceId: id,
            })),
            tx,
          )
          recorded.push(...rows)
        })
      },
      setAside: (tx, row) => store.setAside(tx, row),
    })
    for (const { status } of recorded) deps.metrics.webhookDeliveries.inc({ status })
    return recorded
  }

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, RECORD_ROWS)
      waiting = waiting.slice(RECORD_ROWS)
      try {
        onRecorded(batch, await record(batch))
      } catch (error) {
        deps.log[isUnavailable(error) ? 'warn' : 'error']({ err: error }, 'attempts could not be recorded yet')
        waiting = [...batch, ...waiting]
        await new Promise((resolve) => setTimeout(resolve, RECORD_PAUSE_MS))
      }
    }
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    recording ??= run().finally(() => {
      recording = undefined
      if (waiting.length > 0) flush()
    })
  }

  return {
    add(ended: E): void {
      waiting.push(ended)
      if (waiting.length >= RECORD_ROWS) flush()
    },
    /** At once where nothing else is under way that could come along. */
    flushSoon(isAlone: boolean): void {
      if (waiting.length === 0) return
      if (isAlone) flush()
      else timer ??= setTimeout(flush, RECORD_WAIT_MS)
    },
    /** Puts a claim back for later: no attempt was made. */
    async defer(claim: Pick<Ended, 'organizationId' | 'id' | 'claimedBy'>, dueAt: Date): Promise<void> {
      await deps.db.transaction((tx) => store.deferClaim(tx, claim, dueAt))
    },
    /** Frees what this process has claimed without knowing of it. */
    async freeStrays(held: readonly string[]): Promise<void> {
      await deps.db.transaction((tx) => store.releaseStrays(tx, deps.processId(), held))
    },
    async drained(isDone: () => boolean): Promise<void> {
      while (!isDone() || waiting.length > 0 || recording) {
        if (waiting.length > 0) flush()
        await new Promise((resolve) => setTimeout(resolve, RECORD_WAIT_MS))
      }
    },
  }
}
