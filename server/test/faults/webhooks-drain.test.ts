import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { statement } from '../../src/db/sql.ts'
import { finishKolo, startKolo, type ProcessOptions } from '../process.ts'
import { verify } from '../receiver.ts'
import { createService, type TestService } from '../service.ts'
import { announceMany, hook, MASTER_KEY } from '../webhooks.ts'
import { eventually } from '../world.ts'

/** What a process of its own needs to work on a database. */
function environment(t: TestContext, databaseUrl: string, more: Readonly<Record<string, string>> = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'kolo-worker-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  return { dataDir, env: { DATABASE_URL: databaseUrl, KOLO_MASTER_KEY: MASTER_KEY, ...more } }
}

async function startWorker(t: TestContext, on: ProcessOptions) {
  const worker = await startKolo({ ...on, role: 'worker' })
  t.after(worker.kill)
  return worker
}

/** A heartbeat every 200 ms. */
const restless = { KOLO_WORKER_SILENCE_MS: '1000' }
const heardSql = statement<{ at: Date }>(`select max(heartbeat_at) as at from processes where roles = array['worker']`)

async function heardAt({ deps }: TestService): Promise<Date> {
  return (await deps.db.one(heardSql)).at
}

function isRefused(origin: string): Promise<boolean> {
  return fetch(`${origin}/health/live`).then(
    () => false,
    () => true,
  )
}

test('a worker told to end waits for the request under way, writes its answer down and leaves with 0', async (t) => {
  const service = await createService({ roles: ['api'], env: { KOLO_MASTER_KEY: MASTER_KEY } })
  const hooked = await hook(t, {}, { service })
  const { world, receiver } = hooked
  let reply = () => {}
  receiver.answer((response) => (reply = () => response.end('at last')))
  const worker = await startWorker(t, environment(t, service.databaseUrl, { KOLO_DRAIN_MS: '20000', ...restless }))
  await announceMany(service, world.organizationId, 1)
  await eventually('the request is under way', () => receiver.received.length === 1)
  worker.child.kill('SIGTERM')
  await eventually('it takes no connections', () => isRefused(worker.origin))
  await announceMany(service, world.organizationId, 1)
  // It takes nothing new while it waits: it is heard of again and again, and the second stays where it is.
  for (let beats = 0, last = await heardAt(service); beats < 3; beats += 1) {
    await eventually('it is heard of', async () => (await heardAt(service)) > last)
    last = await heardAt(service)
  }
  assert.equal(receiver.received.length, 1)
  reply()
  assert.equal(await worker.ended, 0)
  const statuses = (await hooked.deliveries()).map(({ status, attemptCount }) => [status, attemptCount])
  assert.deepEqual(statuses, [
    ['pending', 0],
    ['delivered', 1],
  ])
  assert.equal(receiver.received.length, 1)
})

test('a request that outlasts the drain is no attempt: another worker sends it again at once', async (t) => {
  const service = await createService({
    roles: ['api'],
    env: { KOLO_MASTER_KEY: MASTER_KEY, KOLO_WORKER_SILENCE_MS: '60000' },
  })
  const hooked = await hook(t, {}, { service })
  const { world, receiver } = hooked
  receiver.answer(() => undefined)
  const env = { KOLO_DRAIN_MS: '500', KOLO_WORKER_SILENCE_MS: '60000' }
  const worker = await startWorker(t, environment(t, service.databaseUrl, env))
  const [id] = await announceMany(service, world.organizationId, 1)
  await eventually('the request is under way', () => receiver.received.length === 1)
  worker.child.kill('SIGTERM')
  assert.equal(await worker.ended, 0)
  receiver.answer(200)
  await startWorker(t, environment(t, service.databaseUrl, env))
  const delivery = await hooked.when('delivered', ({ status }) => status === 'delivered')
  assert.deepEqual([delivery.attemptCount, delivery.attempts.length], [1, 1])
  assert.deepEqual(
    receiver.received.map(({ event }) => event.id),
    [id, id],
  )
})

test('after kolo secrets rotate the old master key can be taken out, and webhooks are signed as before', async (t) => {
  const [old, next] = ['old', 'new'].map((id, index) => `${id}:${Buffer.alloc(32, index + 1).toString('base64')}`)
  const service = await createService({ roles: ['api'], env: { KOLO_MASTER_KEY: old! } })
  const hooked = await hook(t, { headers: { Authorization: 'Basic a2lyYQ==' } }, { service })
  const { world, receiver, endpoint } = hooked
  const both = environment(t, service.databaseUrl, { KOLO_MASTER_KEY: `${next},${old}` })
  const rotated = await finishKolo(['secrets', 'rotate'], both)
  assert.equal(rotated.code, 0, rotated.stderr)
  assert.match(rotated.stdout, /webhook endpoints: 1 sealed again under the key "new"/)
  assert(!rotated.stdout.includes(endpoint.secret!), 'no secret is printed')
  const again = await finishKolo(['secrets', 'rotate'], both)
  assert.match(again.stdout, /webhook endpoints: 0 sealed again/)
  await startWorker(t, environment(t, service.databaseUrl, { KOLO_MASTER_KEY: next! }))
  await announceMany(service, world.organizationId, 1)
  await hooked.when('delivered', ({ status }) => status === 'delivered')
  verify(receiver.received[0]!, endpoint.secret!)
  assert.equal(receiver.received[0]!.headers.authorization, 'Basic a2lyYQ==')
})
