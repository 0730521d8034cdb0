import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { checkoutDir } from '../../src/config.ts'
import { sql } from '../../src/db/sql.ts'
import { countOf } from '../counts.ts'
import { createReceiver } from '../receiver.ts'
import { createService, type TestService } from '../service.ts'
import { announceMany, hook, MASTER_KEY, type Hooked } from '../webhooks.ts'
import { eventually } from '../world.ts'

/** A worker process as an operator starts it. */
async function startWorker(t: TestContext, databaseUrl: string): Promise<ChildProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kolo-worker-'))
  const child = spawn(process.execPath, [join(checkoutDir, 'server/bin/kolo.js'), 'start', '--role', 'worker'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      KOLO_DATA_DIR: dataDir,
      KOLO_MASTER_KEY: MASTER_KEY,
      KOLO_WORKER_SILENCE_MS: '1000',
      KOLO_LOG_LEVEL: 'error',
      KOLO_DRAIN_MS: '2000',
      PORT: '0',
    },
  })
  t.after(() => {
    child.kill('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true })
  })
  await once(child.stdout!, 'data')
  child.stdout!.resume()
  return child
}

function createDeployment(): Promise<TestService> {
  return createService({ roles: ['api'], env: { KOLO_MASTER_KEY: MASTER_KEY } })
}

const statusesSql = sql<{ status: string; count: number }>`
  select status, count(*)::integer as count from webhook_deliveries where organization_id = any($1::uuid[]) group by status`

const attemptsSql = sql<{ most: number }>`
  select coalesce(max(attempt_count), 0)::integer as most from webhook_deliveries where organization_id = any($1::uuid[])`

/** The most requests a worker has under way here, and the most attempts recorded together. */
const RECORD_ROWS = 500

test('workers killed at random moments lose nothing and send little twice', async (t) => {
  const deliveries = countOf({ test: 1_000, long: 3_000, soak: 10_000 })
  const endpoints = countOf({ test: 20, long: 50, soak: 50 })
  const kills = countOf({ test: 3, long: 6, soak: 15 })
  const service = await createDeployment()
  const receiver = await createReceiver(t)
  receiver.answer((response) => void setTimeout(() => response.end(), Math.random() * 20))
  const hooks: Hooked[] = []
  for (let made = 0; made < endpoints; made += 1) hooks.push(await hook(t, {}, { service, receiver }))
  const organizations = hooks.map(({ world }) => world.organizationId)
  const workers = [await startWorker(t, service.databaseUrl), await startWorker(t, service.databaseUrl)]
  const expected = new Set<string>()
  for (const organizationId of organizations) {
    const ids = await announceMany(service, organizationId, deliveries / endpoints)
    for (const id of ids) expected.add(id)
  }
  let underWay = 0
  for (let kill = 0; kill < kills; kill += 1) {
    const goal = Math.min(expected.size, receiver.received.length + Math.ceil((Math.random() * deliveries) / kills))
    await eventually('some more have arrived', () => receiver.received.length >= goal, 60_000)
    const victim = kill % 2
    workers[victim]!.kill('SIGKILL')
    underWay += Math.min(endpoints * 10, 2_048)
    workers[victim] = await startWorker(t, service.databaseUrl)
  }
  await eventually(
    'everything is delivered',
    async () => {
      const statuses = await service.deps.db.many(statusesSql, [organizations])
      return statuses.length === 1 && statuses[0]!.status === 'delivered' && statuses[0]!.count === deliveries
    },
    120_000,
  )
  const arrived = receiver.received.map(({ event }) => event.id)
  assert.deepEqual(new Set(arrived), expected, 'every event has arrived, and no other')
  const twice = arrived.length - expected.size
  t.diagnostic(`${deliveries} deliveries, ${kills} kills: ${twice} were sent again`)
  assert(twice <= underWay + kills * RECORD_ROWS, `${twice} were sent again`)
  // A killed attempt is not counted: each delivery has the one attempt that ended.
  assert.equal((await service.deps.db.one(attemptsSql, [organizations])).most, 1)
})

test('a worker killed during a request leaves an attempt that does not count, and another sends it again', async (t) => {
  const service = await createDeployment()
  const hooked = await hook(t, {}, { service })
  const { world, receiver } = hooked
  receiver.answer(() => undefined)
  const first = await startWorker(t, service.databaseUrl)
  const [id] = await announceMany(service, world.organizationId, 1)
  await eventually('the request is under way', () => receiver.received.length === 1)
  first.kill('SIGKILL')
  receiver.answer(200)
  await startWorker(t, service.databaseUrl)
  const delivery = await hooked.when('delivered', ({ status }) => status === 'delivered')
  assert.deepEqual(
    receiver.received.map(({ event }) => event.id),
    [id, id],
  )
  assert.deepEqual([delivery.attemptCount, delivery.attempts.length], [1, 1])
})

test('a worker that was stopped too long has lost its claims, and what it says then changes nothing', async (t) => {
  const service = await createDeployment()
  const hooked = await hook(t, {}, { service })
  const { world, receiver } = hooked
  const answers: (() => void)[] = []
  receiver.answer((response) => void answers.push(() => response.writeHead(500).end()))
  const stale = await startWorker(t, service.databaseUrl)
  await announceMany(service, world.organizationId, 1)
  await eventually('the request is under way', () => receiver.received.length === 1)
  stale.kill('SIGSTOP')
  receiver.answer(200)
  await startWorker(t, service.databaseUrl)
  const before = await hooked.when('delivered by the other', ({ status }) => status === 'delivered')
  answers[0]!()
  stale.kill('SIGCONT')
  await announceMany(service, world.organizationId, 20)
  await eventually('all delivered', async () =>
    (await hooked.deliveries('?limit=100')).every(({ status }) => status === 'delivered'),
  )
  // By the time it has drained it has said what it had to say.
  const ended = once(stale, 'exit')
  stale.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
  assert.deepEqual(await hooked.delivery(before.id), before)
})
