import { isUnavailable, type Tx } from '../db/database.ts'
import type { WorkerDeps } from './worker.ts'
import { setRowAside } from './store.ts'

type Row = { readonly organizationId: string; readonly id: string }

/**
 * Works a batch as a whole. A batch that fails is halved until the bad row stands alone; that row is set aside with
 * its error, and everything else goes on.
 */
export async function workInHalves<R extends Row>(
  deps: WorkerDeps,
  worker: string,
  rows: readonly R[],
  { work, setAside }: { work: (rows: readonly R[]) => Promise<void>; setAside: (tx: Tx, row: R) => Promise<void> },
): Promise<void> {
  if (rows.length === 0) return
  try {
    await work(rows)
  } catch (error) {
    // The database being away is nobody's fault in the batch: the round fails and is tried again.
    if (isUnavailable(error)) throw error
    const [only] = rows
    if (rows.length > 1 || !only) {
      const middle = rows.length >> 1
      await workInHalves(deps, worker, rows.slice(0, middle), { work, setAside })
      await workInHalves(deps, worker, rows.slice(middle), { work, setAside })
      return
    }
    deps.log.error({ err: error, worker, resourceId: only.id }, 'a row was set aside')
    await deps.db.transaction(async (tx) => {
      await setAside(tx, only)
      await setRowAside(tx, {
        worker,
        organizationId: only.organizationId,
        resourceId: only.id,
        error: (error as Error).message,
        at: deps.now(),
      })
    })
  }
}
