import { isUnavailable } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import * as store from './store.ts'

/** Stores notices; answers whether one was new. */
export type Intake = (notice: store.NewNotice) => Promise<boolean>

type Waiting = { readonly notice: store.NewNotice } & PromiseWithResolvers<boolean>

/** Statements under way at once: while one waits for its commit the next is being filled. */
const LANES = 2
const MOST_AT_ONCE = 200

/**
 * Notices that come while others are being stored are stored together, by one statement and one commit: under load a
 * notice costs a share of a commit, alone it waits for nobody.
 */
export function createIntake(deps: Deps): Intake {
  const waiting: Waiting[] = []
  let underWay = 0

  async function drain(): Promise<void> {
    underWay += 1
    while (waiting.length > 0) await storeTogether(deps, waiting.splice(0, MOST_AT_ONCE))
    underWay -= 1
  }

  return (notice) => {
    const entry = { notice, ...Promise.withResolvers<boolean>() }
    waiting.push(entry)
    if (underWay < LANES) void drain()
    return entry.promise
  }
}

async function storeTogether(deps: Deps, batch: readonly Waiting[]): Promise<void> {
  try {
    const added = await insert(
      deps,
      batch.map(({ notice }) => notice),
    )
    for (const { notice, resolve } of batch) resolve(added.has(notice.id))
  } catch (error) {
    // What one notice is refused for is not the others' fault; a database that is away is nobody's.
    if (batch.length > 1 && !isUnavailable(error)) for (const one of batch) await storeTogether(deps, [one])
    else for (const { reject } of batch) reject(error)
  }
}

function insert(deps: Deps, notices: readonly store.NewNotice[]): Promise<Set<string>> {
  return deps.db.transaction(async (tx) => {
    const added = await store.insertNotices(tx, notices)
    if (added.size > 0) tx.wake('notices')
    return added
  })
}
