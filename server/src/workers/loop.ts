import { isUnavailable } from '../db/database.ts'
import type { WakeHub } from './wake.ts'
import { EVERYBODY } from './wake.ts'
import type { Worker, WorkerDeps } from './worker.ts'

/** Polling is the truth: nothing that is due waits longer than this, whatever happened to the hints. */
const POLL_MS = 500
/** After a failed round, so that a broken database is not asked in a tight circle. */
const FAILURE_PAUSE_MS = 500

export type Loop = { stop(): Promise<void> }

/** Runs one worker: again at once while it finds work, otherwise at the next hint or the next poll. */
export function runLoop(worker: Worker, deps: WorkerDeps, hub: WakeHub): Loop {
  let isStopping = false
  let isWoken = false
  let interrupt: (() => void) | undefined

  const wake = () => {
    isWoken = true
    interrupt?.()
  }
  const stops = [hub.onWake(worker.name, wake), hub.onWake(EVERYBODY, wake)]

  async function idle(ms: number): Promise<void> {
    if (isWoken || isStopping) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      interrupt = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    interrupt = undefined
  }

  async function round(): Promise<void> {
    isWoken = false
    const startedAt = performance.now()
    try {
      const rows = await worker.work(deps)
      deps.metrics.workerRounds.inc({ worker: worker.name })
      if (rows === 0) return await idle(POLL_MS)
      deps.metrics.workerRows.inc({ worker: worker.name }, rows)
      deps.metrics.workerSeconds.observe({ worker: worker.name }, (performance.now() - startedAt) / 1000)
    } catch (error) {
      deps.metrics.workerFailures.inc({ worker: worker.name })
      const level = isUnavailable(error) ? 'warn' : 'error'
      deps.log[level]({ err: error, worker: worker.name }, 'a round failed and will be tried again')
      isWoken = false
      await idle(FAILURE_PAUSE_MS)
    }
  }

  async function run(): Promise<void> {
    while (!isStopping) await round()
  }

  const running = run()
  return {
    async stop() {
      isStopping = true
      for (const stop of stops) stop()
      interrupt?.()
      await running
    },
  }
}
