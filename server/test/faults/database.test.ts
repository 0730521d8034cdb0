import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startEmbedded } from '../../src/db/embedded/server.ts'
import { migrate } from '../../src/db/migrate.ts'
import { statement } from '../../src/db/sql.ts'
import { openBook } from '../../src/simulator/book.ts'
import { cloneDatabase } from '../database.ts'
import { createProxy } from '../proxy.ts'
import { createService } from '../service.ts'
import { createWorld, eventually, type World } from '../world.ts'

const endings: (() => Promise<unknown>)[] = []
after(async () => {
  for (const end of endings.toReversed()) await end()
})

function conversion(reference: string) {
  return { reference, sourceCurrency: 'NGN', targetCurrency: 'USD', sourceAmount: 1_500 }
}

function codeOf(answer: { json<T>(): T }): string {
  return answer.json<{ error: { code: string } }>().error.code
}

test('a database that goes away gives 503 and a red readiness, and everything goes on when it is back', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'kolo-lost-'))
  const settings = ['fsync=off']
  let postgres = await startEmbedded({ dataDir, settings })
  endings.push(async () => {
    await postgres.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  await migrate(postgres.url)
  const proxy = await createProxy(postgres.url)
  endings.push(proxy.close)
  const env = { KOLO_DATABASE_WAIT_MS: '2000', KOLO_LOG_LEVEL: 'fatal', KOLO_WORKER_SILENCE_MS: '10000' }
  const service = await createService({ databaseUrl: proxy.url, env })
  const [world, other] = [await createWorld(t, service), await createWorld(t, service)]
  await world.fund('NGN', 10_000)
  const ready = async () => (await service.app.fastify.inject('/health/ready')).statusCode
  assert.equal(await ready(), 200)

  await postgres.stop()
  const refused = await world.get('/v1/wallets')
  assert.equal(refused.statusCode, 503, refused.body)
  assert.equal(codeOf(refused), 'unavailable')
  assert.match(String(refused.headers['retry-after']), /^\d+$/)
  assert.doesNotMatch(refused.body, /ECONN|terminat|postgres/i)
  await eventually('readiness is red', async () => (await ready()) === 503)
  assert.equal((await service.app.fastify.inject('/health/live')).statusCode, 200)

  postgres = await startEmbedded({ dataDir, settings })
  proxy.leadTo(postgres.url)
  await eventually('readiness is back', async () => (await ready()) === 200, 20_000)
  const gift = {
    reference: 'gift',
    sourceCurrency: 'NGN',
    sourceAmount: 60,
    destinationOrganizationId: other.organizationId,
  }
  const sent = await world.post('/v1/transfers', gift)
  assert.equal(sent.statusCode, 201, sent.body)
  await eventually('workers go on', async () => (await other.balance('NGN')) === 60)
})

test('a COMMIT whose reply is lost is a 503, and the same key finds out what became of it', async (t) => {
  const { url, drop } = await cloneDatabase()
  const proxy = await createProxy(url)
  endings.push(drop, proxy.close)
  const service = await createService({ databaseUrl: proxy.url, roles: ['api'], env: { KOLO_LOG_LEVEL: 'fatal' } })
  const world = await createWorld(t, service)
  await world.fund('NGN', 10_000)
  let lost = 0
  for (let round = 0; round < 5; round += 1) {
    const key = { 'idempotency-key': randomUUID() }
    const cut = proxy.loseNextCommitReply()
    const first = await world.post('/v1/transfers', conversion(`r${round}`), key)
    await cut
    const again = await eventuallyAnswered(world, `r${round}`, key)
    assert.equal(again.statusCode, 201, again.body)
    // The heartbeat commits too: now and then it is its reply that is lost, and the transfer is simply answered.
    if (first.statusCode === 503) {
      lost += 1
      assert.equal(again.headers['idempotent-replayed'], 'true')
    } else assert.equal(first.body, again.body)
  }
  assert(lost > 0, 'no reply was lost in five rounds')
  assert.equal(await world.balance('NGN'), 10_000 - 5 * 1_500)
})

async function eventuallyAnswered(world: World, reference: string, key: Record<string, string>) {
  for (;;) {
    const answer = await world.post('/v1/transfers', conversion(reference), key)
    if (answer.statusCode !== 503) return answer
  }
}

test('a connection that breaks in the middle of a transaction ends that transaction and nothing else', async () => {
  const { deps, databaseUrl } = await createService({ roles: ['api'], env: { KOLO_LOG_LEVEL: 'fatal' } })
  const book = await openBook(databaseUrl)
  endings.push(book.close)
  const own = 'select pg_backend_pid() as pid'
  const isGone = async (pid: number) =>
    (await deps.db.many(statement('select from pg_stat_activity where pid = $1'), [pid])).length === 0
  const broken = async (pid: number) => {
    await deps.db.many(statement('select pg_terminate_backend($1)'), [pid])
    await eventually('it is gone', () => isGone(pid))
  }
  const ours = deps.db.transaction(async (tx) => {
    await broken((await tx.one(statement<{ pid: number }>(own))).pid)
    return tx.many(statement('select 1'))
  })
  await assert.rejects(ours)
  const theirs = book.transaction(async (query) => {
    await broken((await query<{ pid: number }>(own))[0]!.pid)
    return query('select 1')
  })
  await assert.rejects(theirs)
  for (let times = 0; times < 10; times += 1) {
    assert.equal((await book.transaction((query) => query('select 1'))).length, 1)
    assert.equal((await deps.db.transaction((tx) => tx.many(statement('select 1')))).length, 1)
  }
})

test('a full disk is a 503 without an effect, and the same request goes through when there is room again', async (t) => {
  const service = await createService({ roles: ['api'], env: { KOLO_LOG_LEVEL: 'fatal' } })
  const { db } = service.deps
  const world = await createWorld(t, service)
  await world.fund('NGN', 10_000)
  // What PostgreSQL says when it cannot write: here of the last table a transfer writes to.
  for (const text of [
    `create function be_full() returns trigger language plpgsql as
     $$ begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$`,
    `create trigger full_disk before insert on ledger_lines for each statement execute function be_full()`,
  ])
    await db.many(statement(text))
  const key = { 'idempotency-key': 'k' }
  const refused = await world.post('/v1/transfers', conversion('a'), key)
  assert.deepEqual([refused.statusCode, codeOf(refused)], [503, 'unavailable'])
  assert.match(String(refused.headers['retry-after']), /^\d+$/)
  assert.doesNotMatch(refused.body, /space|device/)
  assert.equal((await world.get('/v1/transfers')).json<{ data: { transfers: unknown[] } }>().data.transfers.length, 0)
  await db.many(statement('drop trigger full_disk on ledger_lines'))
  assert.equal((await world.post('/v1/transfers', conversion('a'), key)).statusCode, 201)
  assert.equal(await world.balance('NGN'), 8_500)
})

test('an exhausted pool is a 503 with Retry-After, without an effect', async (t) => {
  const env = { KOLO_DATABASE_POOL_SIZE: '4', KOLO_DATABASE_WAIT_MS: '1000', KOLO_LOG_LEVEL: 'fatal' }
  const service = await createService({ roles: ['api'], env })
  const world = await createWorld(t, service)
  await world.fund('NGN', 10_000)
  const release = Promise.withResolvers<void>()
  const held = Array.from({ length: 4 }, () =>
    eventuallyHeld(() => service.deps.db.transaction(async () => release.promise)),
  )
  await eventually('every connection is taken', async () => (await world.get('/v1/wallets')).statusCode === 503)
  const refused = await world.post('/v1/transfers', conversion('a'), { 'idempotency-key': 'k' })
  assert.deepEqual([refused.statusCode, codeOf(refused)], [503, 'unavailable'])
  assert.equal(refused.headers['retry-after'], '1')
  release.resolve()
  await Promise.all(held)
  assert.equal((await world.post('/v1/transfers', conversion('a'), { 'idempotency-key': 'k' })).statusCode, 201)
})

/** The heartbeat may have the connection for a moment; whoever holds one tries until it has it. */
async function eventuallyHeld(hold: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await hold()
    } catch {
      // Not yet.
    }
  }
}

test('transactions that lock in opposite order are both done: a deadlock is tried again', async (t) => {
  const service = await createService({ roles: ['api'] })
  const [one, other] = [await createWorld(t, service), await createWorld(t, service)]
  const lock = statement('select id from organizations where id = $1 for update')
  const { db } = service.deps
  let tries = 0
  const both = Promise.withResolvers<void>()
  let waiting = 0
  const lockBoth = (first: World, second: World) =>
    db.transaction(async (tx) => {
      tries += 1
      await tx.many(lock, [first.organizationId])
      if ((waiting += 1) >= 2) both.resolve()
      await both.promise
      await tx.many(lock, [second.organizationId])
    })
  await Promise.all([lockBoth(one, other), lockBoth(other, one)])
  assert(tries > 2, 'there was a deadlock')
})

test('a serialization failure is tried again, a few times and no more', async () => {
  const { deps } = await createService({ roles: ['api'] })
  const failing = (times: number) => {
    let tries = 0
    return deps.db.transaction(async (tx) => {
      tries += 1
      if (tries <= times)
        await tx.many(statement(`do $$ begin raise exception 'again' using errcode = '40001'; end $$`))
      return tries
    })
  }
  assert.equal(await failing(3), 4)
  await assert.rejects(failing(100), { code: '40001' })
})

test('two migrators at once apply each migration once', async () => {
  const { url, drop } = await emptyDatabase()
  const applied = await Promise.all([migrate(url), migrate(url), migrate(url)])
  assert.equal(applied.filter((names) => names.length > 0).length, 1)
  assert.deepEqual(await migrate(url), [])
  await drop()
})

test('a schema newer than the code is refused', async () => {
  const { url, drop } = await cloneDatabase()
  const { deps } = await createService({ databaseUrl: url, roles: ['api'] })
  const add = statement(`insert into schema_migrations (version, name, checksum) values (9999, '9999_future.sql', 'x')`)
  await deps.db.transaction((tx) => tx.many(add))
  await assert.rejects(migrate(url), /9999_future\.sql, which this version of Kolo does not know/)
  endings.push(drop)
})

async function emptyDatabase() {
  const { url, drop } = await cloneDatabase()
  const { deps } = await createService({ databaseUrl: url, roles: ['api'] })
  const name = `empty_${randomUUID().replaceAll('-', '')}`
  await deps.db.many(statement(`create database ${name}`))
  const empty = new URL(url)
  empty.pathname = `/${name}`
  return {
    url: empty.href,
    drop: async () => {
      await deps.db.many(statement(`drop database ${name} with (force)`))
      endings.push(drop)
    },
  }
}
