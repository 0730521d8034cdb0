import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createService } from '../../test/service.ts'
import { createWorld, sharedService } from '../../test/world.ts'

test('a process is live from the start, ready when told, and not ready while it drains', async () => {
  // The second of silence other tests allow is too short here: a busy machine must not turn readiness red.
  const { app } = await createService({ roles: ['worker'], env: { KOLO_WORKER_SILENCE_MS: '30000' } })
  const ready = async () => (await app.fastify.inject('/health/ready')).statusCode
  assert.equal((await app.fastify.inject('/health/live')).statusCode, 200)
  assert.equal(await ready(), 200)
  app.enter('starting')
  assert.equal(await ready(), 503)
  app.enter('draining')
  const draining = await app.fastify.inject('/health/ready')
  assert.deepEqual([draining.statusCode, draining.json<{ status: string }>().status], [503, 'draining'])
  app.enter('ready')
})

test('a process without the api role answers operators and nobody else', async () => {
  const { app } = await createService({ roles: ['worker'] })
  assert.equal((await app.fastify.inject('/api/v1/wallets')).statusCode, 404)
  assert.equal((await app.fastify.inject('/openapi.json')).statusCode, 404)
  assert.equal((await app.fastify.inject('/metrics')).statusCode, 200)
})

test('metrics count requests by route, and show the pool, the event loop and the workers', async (t) => {
  const world = await createWorld(t)
  const other = await createWorld(t)
  await world.fund('NGN', 10)
  await world.post('/v1/transfers', {
    reference: 'r',
    sourceCurrency: 'NGN',
    sourceAmount: 10,
    destinationOrganizationId: other.organizationId,
  })
  await world.get('/v1/transfers/01900000-0000-7000-8000-000000000000')
  const read = async () => (await world.service.app.fastify.inject('/metrics')).body
  for (const wanted of [
    /kolo_http_requests_total\{method="GET",route="\/api\/v1\/transfers\/:id",status="404"\} 1/,
    /kolo_http_request_seconds_bucket\{le="0.005",method="POST",route="\/api\/v1\/transfers"\}/,
    /kolo_db_pool_connections/,
    /nodejs_eventloop_lag_seconds/,
    /kolo_worker_rounds_total\{worker="transfers"\}/,
  ]) {
    assert.match(await read(), wanted)
  }
  assert.doesNotMatch(await read(), new RegExp(world.organizationId))
})

test('metrics can be closed with a token, and in production answer only with one', async () => {
  const closed = await createService({ env: { KOLO_METRICS_TOKEN: 'open-sesame' }, roles: ['worker'] })
  const ask = (authorization?: string) =>
    closed.app.fastify.inject({ url: '/metrics', headers: authorization ? { authorization } : {} })
  assert.equal((await ask()).statusCode, 401)
  assert.equal((await ask('Bearer open-sesamf')).statusCode, 401)
  assert.equal((await ask('Bearer open-sesame')).statusCode, 200)
})

const production = {
  KOLO_ENV: 'production',
  KOLO_PUBLIC_URL: 'https://pay.example.com',
  KOLO_MASTER_KEY: `main:${Buffer.alloc(32, 7).toString('base64')}`,
  DATABASE_URL: 'postgres://unused/unused',
}

test('production has no sandbox, no clock to move and no open metrics', async (t) => {
  const jwk = { kty: 'OKP', crv: 'Ed25519', kid: 'main', ...productionKey }
  const service = await createService({ env: { ...production, KOLO_JWT_KEYS: JSON.stringify([jwk]) } })
  const world = await createWorld(t, service)
  assert.match(world.apiKey, /^kolo_sk_live_/)
  assert.equal((await world.get('/v1/wallets')).statusCode, 200)
  for (const path of ['/v1/sandbox/wallets/NGN/fund', '/v1/sandbox/clock/advance', '/v1/sandbox/clock']) {
    assert.equal((await world.post(path, { amount: 1, seconds: 1 })).statusCode, 404, path)
  }
  assert.equal((await service.app.fastify.inject('/metrics')).statusCode, 404)
  const document = (await service.app.fastify.inject('/openapi.json')).json<{ paths: object; servers: object[] }>()
  assert.deepEqual(
    Object.keys(document.paths).filter((path) => path.includes('sandbox')),
    [],
  )
  assert.deepEqual(document.servers, [{ url: 'https://pay.example.com/api', description: 'production' }])
})

/** RFC 8037, appendix A.1: known to everybody, and good for a test. */
const productionKey = {
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
}

test('addresses come from the configuration, never from the Host header', async () => {
  const { app } = await sharedService()
  const answer = await app.fastify.inject({ url: '/openapi.json', headers: { host: 'evil.example' } })
  assert.doesNotMatch(answer.body, /evil/)
})
