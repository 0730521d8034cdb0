import type { Deps } from '../deps.ts'
import { recordHappenings } from './store.ts'
import type { WorkerDeps } from './worker.ts'

/** What workers did is written down only while somebody is moving the clock and waits to hear of it. */
export function happenings({ db, clock, now }: Deps): WorkerDeps['happened'] {
  return async (list, tx) => {
    if (clock.setting().frozenAt === null || list.length === 0) return
    await (tx ?? db).transaction((inner) => recordHappenings(inner, now(), list))
  }
}
