import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SECRET_FRESH_MS } from '../../src/webhooks/signing.ts'
import { claimSql } from '../../src/webhooks/queue-store.ts'
import { createProxy } from '../proxy.ts'
import { verify } from '../receiver.ts'
import { createService, type ServiceOptions, type TestService } from '../service.ts'
import { announceMany, hook, MASTER_KEY } from '../webhooks.ts'
import { eventually } from '../world.ts'

/** Within this a fault of ours is made good. */
const AGAIN_MS = 60_000
const env = { KOLO_MASTER_KEY: MASTER_KEY, KOLO_LOG_LEVEL: 'fatal' }
/** Longer than any of these faults: nobody else frees what the worker has claimed. */
const patient = { ...env, KOLO_WORKER_SILENCE_MS: '120000' }

/** Proxies end after the services that go through them. */
const endings: (() => Promise<void>)[] = []
after(async () => {
  for (const end of endings) await end()
})

/** An API on the database, and beside it a worker whose way to the database can be broken. */
async function createDeployment() {
  const api = await createService({ roles: ['api'], env: patient })
  const proxy = await createProxy(api.databaseUrl)
  endings.push(proxy.close)
  const startWorker = (options: ServiceOptions = {}): Promise<TestService> =>
    createService({ databaseUrl: proxy.url, roles: ['worker'], env: patient, ...options })
  return { api, proxy, startWorker, repair: () => proxy.leadTo(api.databaseUrl) }
}

async function shows(service: TestService, line: string): Promise<boolean> {
  return (await service.deps.metrics.registry.metrics()).includes(line)
}

test('an answer that comes while the database is away is written down when it is back, and not asked for again', async (t) => {
  const { api, proxy, startWorker, repair } = await createDeployment()
  const hooked = await hook(t, {}, { service: api })
  const { world, receiver } = hooked
  let reply = () => {}
  receiver.answer((response) => (reply = () => response.end('late')))
  const worker = await startWorker()
  await announceMany(api, world.organizationId, 1)
  await eventually('the request is under way', () => receiver.received.length === 1)
  proxy.cut()
  reply()
  await eventually('it was answered', () => shows(worker, 'kolo_webhook_attempts_total{outcome="delivered"} 1'))
  await eventually('the database is missed', () => shows(worker, 'kolo_worker_failures_total{worker="webhooks"}'))
  assert.equal((await hooked.deliveries())[0]!.attemptCount, 0)
  repair()
  const delivery = await hooked.when('recorded', ({ status }) => status === 'delivered')
  assert.deepEqual([delivery.attemptCount, delivery.attempts.length, receiver.received.length], [1, 1, 1])
  assert.equal(delivery.attempts[0]!.responseBody, 'late')
})

test('a worker that was away for long enough is given up: what it had sent is sent again, as the first attempt', async (t) => {
  const { api, proxy, startWorker, repair } = await createDeployment()
  const hooked = await hook(t, {}, { service: api })
  const { world, receiver } = hooked
  let reply = () => {}
  receiver.answer((response) => (reply = () => response.writeHead(500).end()))
  await startWorker()
  const [id] = await announceMany(api, world.organizationId, 1)
  await eventually('the request is under way', () => receiver.received.length === 1)
  proxy.cut()
  reply()
  receiver.answer(200)
  await createService({
    databaseUrl: api.databaseUrl,
    roles: ['worker'],
    env: { ...env, KOLO_WORKER_SILENCE_MS: '1000' },
  })
  const delivery = await hooked.when('sent again', ({ status }) => status === 'delivered')
  repair()
  assert.deepEqual(
    receiver.received.map(({ event, headers }) => [event.id, headers['x-webhook-attempt']]),
    [
      [id, '1'],
      [id, '1'],
    ],
  )
  assert.deepEqual([delivery.attemptCount, delivery.attempts.length], [1, 1])
})

test('a claim whose answer is lost is given back and sent within 60 s, and no attempt is counted', async (t) => {
  const { api, proxy, startWorker } = await createDeployment()
  const hooked = await hook(t, {}, { service: api })
  const { world, receiver } = hooked
  const [id] = await announceMany(api, world.organizationId, 1)
  const lost = proxy.loseNextReplyTo(claimSql)
  await startWorker()
  await lost
  await eventually('delivered', async () => (await hooked.deliveries())[0]!.status === 'delivered', AGAIN_MS)
  const delivery = await hooked.when('delivered', ({ status }) => status === 'delivered')
  assert.deepEqual([delivery.attemptCount, delivery.attempts.length], [1, 1])
  assert.deepEqual(
    receiver.received.map(({ event, headers }) => [event.id, headers['x-webhook-attempt']]),
    [[id, '1']],
  )
})

test('a claim whose secret cannot be read is given back and sent within 60 s, and no attempt is counted', async (t) => {
  const { api, proxy, startWorker, repair } = await createDeployment()
  const asked = Promise.withResolvers<void>()
  const told = Promise.withResolvers<void>()
  let askedAtMs = 0
  const lookup = async () => {
    askedAtMs = performance.now()
    asked.resolve()
    await told.promise
    return ['127.0.0.1']
  }
  const hooked = await hook(t, {}, { service: api })
  const { world, receiver, endpoint } = hooked
  const url = `http://receiver.test:${new URL(receiver.url).port}/hook`
  assert.equal((await world.patch(hooked.path, { url })).statusCode, 200)
  const worker = await startWorker({ lookup })
  const [id] = await announceMany(api, world.organizationId, 1)
  await asked.promise
  await eventually(
    'what was read with the claim may no longer sign',
    () => performance.now() - askedAtMs > SECRET_FRESH_MS,
  )
  proxy.cut()
  told.resolve()
  await eventually('it could not be sent', () => shows(worker, 'kolo_webhook_attempts_total{outcome="not_sent"} 1'))
  assert.equal(receiver.received.length, 0)
  repair()
  await eventually('delivered', async () => (await hooked.deliveries())[0]!.status === 'delivered', AGAIN_MS)
  const delivery = await hooked.when('delivered', ({ status }) => status === 'delivered')
  assert.deepEqual([delivery.attemptCount, delivery.attempts.length, receiver.received.length], [1, 1, 1])
  assert.deepEqual([receiver.received[0]!.event.id, receiver.received[0]!.headers['x-webhook-attempt']], [id, '1'])
  verify(receiver.received[0]!, endpoint.secret!)
})
