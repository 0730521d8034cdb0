import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createService } from '../../test/service.ts'
import { hook, hours } from '../../test/webhooks.ts'
import { dropPartitions, ensurePartitions, forgetDefaultRows, partitionedTables } from '../db/partitions.ts'
import { sql, statement } from '../db/sql.ts'
import type { Deps } from '../deps.ts'
import { emit } from '../events/emit.ts'
import { createSecrets } from '../secrets.ts'
import { resealEndpoints } from './operations.ts'
import { openHeaders, openSecret } from './secrecy.ts'

const tablesSql = sql<{ name: string }>`
  select relname as name from pg_class where relkind = 'r' and relname ~ '^(events|webhook_deliveries|webhook_attempts)_[0-9]'`

/** An event of nothing in the books, so that they are whole when it is gone. */
async function announce({ db, now, newId }: Deps, organizationId: string): Promise<void> {
  const event = { organizationId, id: newId(now()), type: 'transfer.completed' as const, data: {}, at: now() }
  await db.transaction((tx) => emit(tx, [event]))
}

test('months past the retention go, of all tables together, and never one in which something waits', async (t) => {
  const service = await createService()
  const { db } = service.deps
  const { world, receiver, path, when, delivery } = await hook(t, {}, { service })
  receiver.answer(500)
  await announce(service.deps, world.organizationId)
  const { id } = await when('tried', ({ attemptCount }) => attemptCount === 1)
  const later = new Date(service.deps.now().getTime() + hours(24 * 200) * 1000)
  const month = service.deps.now().toISOString().slice(0, 7).replace('-', '_')
  const standing = async () => (await db.many(tablesSql)).filter(({ name }) => name.endsWith(month)).length
  await dropPartitions(db, later)
  assert.equal(await standing(), 3)
  assert.equal((await delivery(id)).status, 'pending')
  await world.patch(path, { isActive: false })
  assert((await dropPartitions(db, later)) > 0)
  assert.equal(await standing(), 0)
  assert.equal((await world.get(`${path}/deliveries/${id}`)).statusCode, 404)
  // What is written from now on finds the default partition until the month is made again.
  await world.patch(path, { isActive: true })
  await announce(service.deps, world.organizationId)
  const inDefault = await when('tried again', ({ attemptCount }) => attemptCount === 1)
  const anHourAgo = new Date(service.deps.now().getTime() - hours(1) * 1000)
  await ensurePartitions(db, service.deps.now())
  assert.equal(await standing(), 0, 'no month is made beside rows of it')
  assert.equal(await forgetDefaultRows(db, later, 10), 0, 'something waits in it')
  await world.patch(path, { isActive: false })
  assert.equal(await forgetDefaultRows(db, anHourAgo, 10), 0, 'nothing is old enough')
  assert.equal(await forgetDefaultRows(db, later, 10), 1)
  assert.equal((await world.get(`${path}/deliveries/${inDefault.id}`)).statusCode, 404)
  for (const table of partitionedTables) {
    const { rows } = await db.one<{ rows: number }>(statement(`select count(*)::integer as rows from ${table}_default`))
    assert.equal(rows, 0, table)
  }
  await ensurePartitions(db, service.deps.now())
  assert.equal(await standing(), 3)
})

test('a month that somebody is reading stays until they have read it, and is no failure', async (t) => {
  const service = await createService({ roles: ['api'] })
  const { db, now } = service.deps
  const { world } = await hook(t, {}, { service })
  await announce(service.deps, world.organizationId)
  await db.transaction(async (tx) => {
    await tx.many(statement('select id from events where organization_id = $1'), [world.organizationId])
    assert.equal(await dropPartitions(db, new Date(now().getTime() + hours(24 * 40) * 1000)), 0)
  })
})

test('everything sealed under an older master key is sealed again under the current one', async (t) => {
  const keys = ['old', 'new'].map((id, index) => ({ id, key: Buffer.alloc(32, index + 1) }))
  const service = await createService({ env: { KOLO_MASTER_KEY: `old:${keys[0]!.key.toString('base64')}` } })
  const { world, endpoint } = await hook(t, { headers: { 'X-A': 'b' } }, { service })
  const deps = { ...service.deps, secrets: createSecrets(keys.toReversed()) }
  assert.equal(await resealEndpoints(deps, 500), 1)
  assert.equal(await resealEndpoints(deps, 500), 0)
  const key = { organizationId: world.organizationId, endpointId: endpoint.id }
  const row = await service.deps.db.one<{ secret: string; headers: string }>(
    sql`select secret, headers from webhook_endpoints where id = $1`,
    [endpoint.id],
  )
  const onlyNew = { secrets: createSecrets([keys[1]!]) }
  assert.equal(openSecret(onlyNew, key, row.secret), endpoint.secret)
  assert.deepEqual(openHeaders(onlyNew, key, row.headers), { 'X-A': 'b' })
})
