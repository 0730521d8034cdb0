import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memberOf } from '../../test/members.ts'
import { createService } from '../../test/service.ts'
import { createWorld } from '../../test/world.ts'

const env = { KOLO_RATE_LIMIT_READS: '20', KOLO_RATE_LIMIT_WRITES: '5' }
const service = createService({ env })

/** Does something within one second of the wall clock, however often it takes: the limit is per second. */
async function inOneSecond<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 1_000 - (Date.now() % 1_000) + 2))
    const second = Math.floor(Date.now() / 1_000)
    const result = await work()
    if (Math.floor(Date.now() / 1_000) === second) return result
  }
}

test('a key makes as many reads and writes a second as it may, and hears how many are left', async (t) => {
  const world = await createWorld(t, await service)
  const read = () => world.get('/v1/wallets/NGN')
  const reads = await inOneSecond(() => Promise.all(Array.from({ length: 30 }, read)))
  const write = () => world.post('/v1/transfers', {})
  const writes = await inOneSecond(() => Promise.all(Array.from({ length: 8 }, write)))
  const count = (answers: typeof reads, status: number) => answers.filter((one) => one.statusCode === status).length
  assert.deepEqual([count(reads, 200), count(reads, 429)], [20, 10])
  assert.deepEqual([count(writes, 400), count(writes, 429)], [5, 3])
  const refused = reads.find(({ statusCode }) => statusCode === 429)!
  assert.equal(refused.headers['retry-after'], '1')
  assert.equal(refused.headers['ratelimit-policy'], '"reads";q=20;w=1')
  assert.equal(refused.headers['ratelimit'], '"reads";r=0;t=1')
  assert.deepEqual(refused.json<{ error: { type: string; code: string } }>().error.type, 'rate_limit')
  assert.equal(reads[0]!.headers['ratelimit-policy'], '"reads";q=20;w=1')
  assert.equal((await inOneSecond(read)).headers['ratelimit'], '"reads";r=19;t=1')
})

test('the limit comes after the credential and before the permission', async (t) => {
  const world = await createWorld(t, await service)
  const viewer = await memberOf(world, 'viewer')
  const write = () => world.post('/v1/transfers', 'not json', viewer.headers)
  const answers = await inOneSecond(() => Promise.all(Array.from({ length: 6 }, write)))
  const statuses = answers.map(({ statusCode }) => statusCode)
  assert.equal(statuses.filter((status) => status === 403).length, 5)
  assert.equal(statuses.filter((status) => status === 429).length, 1)
  const unknown = await world.post('/v1/transfers', {}, { authorization: 'Bearer nobody' })
  assert.equal(unknown.statusCode, 401)
})

test('each key has a limit of its own, over all processes', async (t) => {
  const first = await service
  const second = await createService({ databaseUrl: first.databaseUrl, roles: ['api'], env })
  const [world, other] = [await createWorld(t, first), await createWorld(t, first)]
  const read = (on: typeof first, key: string) =>
    on.app.fastify.inject({ url: '/api/v1/wallets/NGN', headers: { authorization: `Bearer ${key}` } })
  const turns = Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? first : second))
  const answers = await inOneSecond(() => Promise.all(turns.map((on) => read(on, world.apiKey))))
  const taken = answers.filter(({ statusCode }) => statusCode === 200).length
  assert.equal(taken, 20)
  assert.equal((await read(first, other.apiKey)).statusCode, 200)
})

test('nothing is limited in local unless it is configured', async (t) => {
  const world = await createWorld(t, await createService())
  const answers = await Promise.all(Array.from({ length: 150 }, () => world.get('/v1/wallets/NGN')))
  assert(answers.every(({ statusCode, headers }) => statusCode === 200 && headers['ratelimit'] === undefined))
})
