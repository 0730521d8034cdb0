import type { AccountKey } from '../ledger/lines.ts'
import { countUnsealed, SEAL_LINES_MAX, sealNext } from '../ledger/seals.ts'
import type { Worker } from './worker.ts'

const ACCOUNTS_PER_ROUND = 40
/** Between two walks through the queue: long enough to seal many lines of a busy account at once. */
const PAUSE_MS = 2_000

/** Seals new lines a few seconds after they are written. Walks through the queue in order, so that no account starves. */
export function sealsWorker(): Worker {
  let after: AccountKey | undefined
  let nextRunMs = 0
  return {
    name: 'seals',
    // Sealing follows the wall clock: no record falls due by it.
    nextDueAt: async () => null,
    async work(deps) {
      if (performance.now() < nextRunMs) return 0
      const { accounts, lines } = await deps.db.transaction((tx) =>
        sealNext(tx, deps.secrets, deps.now(), after, ACCOUNTS_PER_ROUND),
      )
      after = accounts.length === ACCOUNTS_PER_ROUND ? accounts.at(-1) : undefined
      // More waits in the queue, or a busy account has more lines than one round takes: go on at once.
      if (after !== undefined || lines > SEAL_LINES_MAX / 2) return lines
      nextRunMs = performance.now() + PAUSE_MS
      deps.metrics.unsealedAccounts.set(await countUnsealed(deps.db))
      return lines
    },
  }
}
