import { transfersWorker } from '../transfers/worker.ts'
import { housekeepingWorker } from './housekeeping.ts'
import type { Worker } from './worker.ts'

/** Every worker of the service, by name. Moving the clock drives this list. */
export function createWorkers(): readonly Worker[] {
  return [transfersWorker, housekeepingWorker()]
}
