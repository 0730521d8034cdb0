import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { createService } from '../../test/service.ts'
import { eventually } from '../../test/world.ts'
import { sql } from '../db/sql.ts'

const waitSql = sql<{ one: number }>`select 1 as one from pg_sleep(0.1)`

test('a process that is busy with all its connections is still heard of', async (t) => {
  const service = await createService({ roles: ['api'], env: { KOLO_DATABASE_POOL_SIZE: '2' } })
  const observer = new pg.Client({ connectionString: service.databaseUrl })
  await observer.connect()
  t.after(() => observer.end())
  const look = async () => {
    const { rows } = await observer.query<{ id: string; heartbeat: Date }>(
      'select id, heartbeat_at as heartbeat from processes',
    )
    return rows
  }
  const [before] = await look()
  let isBusy = true
  const { db } = service.deps
  const busy = Array.from({ length: 6 }, async () => {
    while (isBusy) await db.transaction((tx) => tx.one(waitSql))
  })
  // Longer than the silence that would cost it its claims.
  await eventually('two seconds of heartbeats', async () => {
    const [now] = await look()
    return now!.heartbeat.getTime() - before!.heartbeat.getTime() > 2_000
  })
  isBusy = false
  await Promise.all(busy)
  assert.deepEqual(
    (await look()).map(({ id }) => id),
    [before!.id],
  )
})
