import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createService } from '../../test/service.ts'
import { eventually } from '../../test/world.ts'
import { isUnavailable, openDatabase } from './database.ts'
import { sql } from './sql.ts'

const touchClockSql = sql<{ revision: bigint }>`update service_clock set revision = revision returning revision`

test('a transaction that says nothing is ended, and what it locked is free', async (t) => {
  const service = await createService({ roles: [] })
  const stopped = openDatabase({
    url: service.databaseUrl,
    poolSize: 1,
    waitMs: 1_000,
    idleInTransactionMs: 100,
    name: 'stopped',
    onError: () => undefined,
    onWake: () => undefined,
  })
  t.after(() => stopped.close())
  let resume: () => void = () => undefined
  const silence = new Promise<void>((resolve) => (resume = resolve))
  let isLocked = false
  const silent = stopped.transaction(async (tx) => {
    await tx.many(touchClockSql)
    isLocked = true
    await silence
    await tx.many(touchClockSql)
  })
  const ended = assert.rejects(silent, isUnavailable)
  await eventually('the row is locked', () => isLocked)
  // Waits for the lock, and gets it although its holder never spoke again.
  assert.equal((await service.deps.db.transaction((tx) => tx.many(touchClockSql))).length, 1)
  resume()
  await ended
  assert.equal(
    (await stopped.many(sql<{ one: number }>`select 1 as one`)).length,
    1,
    'the next use has a new connection',
  )
})
