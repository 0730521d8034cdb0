import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { ownerOf } from '../../test/members.ts'
import { createService } from '../../test/service.ts'
import { createWorld, type World } from '../../test/world.ts'
import { statement } from '../db/sql.ts'

const DAY_SECONDS = 24 * 60 * 60

function conversion(reference: string, sourceAmount = 1_500) {
  return { reference, sourceCurrency: 'NGN', targetCurrency: 'USD', sourceAmount }
}

function convert(world: World, reference: string, key: string, sourceAmount?: number) {
  return world.post('/v1/transfers', conversion(reference, sourceAmount), { 'idempotency-key': key })
}

function codeOf(answer: { json<T>(): T }): string {
  return answer.json<{ error: { code: string } }>().error.code
}

async function countTransfers(world: World): Promise<number> {
  const answer = await world.get('/v1/transfers')
  return answer.json<{ data: { pagination: { total: number } } }>().data.pagination.total
}

test('the same key with the same request gets the first answer again, byte for byte, and nothing happens twice', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 10_000)
  const first = await convert(world, 'a', 'k')
  assert.equal(first.statusCode, 201, first.body)
  assert.equal(first.headers['idempotent-replayed'], undefined)
  const again = await convert(world, 'a', 'k')
  assert.equal(again.statusCode, 201)
  assert.equal(again.body, first.body)
  assert.equal(again.headers['content-type'], first.headers['content-type'])
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.notEqual(again.headers['x-request-id'], first.headers['x-request-id'])
  assert.equal(await countTransfers(world), 1)
  assert.equal(await world.balance('NGN'), 8_500)
})

test('a key used for another body or another path is a 422 and has no effect', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 10_000)
  await convert(world, 'a', 'k')
  const otherBody = await convert(world, 'b', 'k')
  assert.deepEqual([otherBody.statusCode, codeOf(otherBody)], [422, 'idempotency_key_reused'])
  const spaced = JSON.stringify(conversion('a')).replace(',', ', ')
  const otherBytes = await world.post('/v1/transfers', spaced, { 'idempotency-key': 'k' })
  assert.equal(codeOf(otherBytes), 'idempotency_key_reused')
  const quote = { kind: 'transfer', sourceCurrency: 'NGN', targetCurrency: 'USD', sourceAmount: 100 }
  const otherPath = await world.post('/v1/quotes', quote, { 'idempotency-key': 'k' })
  assert.equal(codeOf(otherPath), 'idempotency_key_reused')
  assert.equal(await countTransfers(world), 1)
})

test('a refusal is an answer and is kept, its request id too', async (t) => {
  const world = await createWorld(t)
  const first = await convert(world, 'a', 'k')
  assert.deepEqual([first.statusCode, codeOf(first)], [422, 'insufficient_funds'])
  await world.fund('NGN', 10_000)
  const again = await convert(world, 'a', 'k')
  assert.equal(again.body, first.body)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal(
    (await convert(world, 'a', 'another')).statusCode,
    201,
    'a refused request does not use up its reference',
  )
})

test('faults of the request itself are not kept', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 10_000)
  const key = { 'idempotency-key': 'k' }
  assert.equal((await world.post('/v1/transfers', { reference: 'a' }, key)).statusCode, 400)
  assert.equal((await world.post('/v1/transfers', '<x/>', { ...key, 'content-type': 'text/xml' })).statusCode, 415)
  const stranger = { ...key, authorization: 'Bearer nobody' }
  assert.equal((await world.post('/v1/transfers', conversion('a'), stranger)).statusCode, 401)
  assert.equal((await world.post('/v1/transfers', conversion('a'), key)).statusCode, 201)
})

test('fifty copies at once have one effect, and each gets its answer or is told to ask again', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 100_000)
  const answers = await Promise.all(Array.from({ length: 50 }, () => convert(world, 'a', 'k')))
  const [created, busy] = [201, 409].map((status) => answers.filter(({ statusCode }) => statusCode === status))
  assert.equal(created!.length + busy!.length, 50)
  assert.equal(new Set(created!.map(({ body }) => body)).size, 1)
  for (const answer of busy!) {
    assert.equal(codeOf(answer), 'idempotency_key_in_use')
    assert.equal(answer.headers['retry-after'], '1')
  }
  assert.equal(await countTransfers(world), 1)
  assert.equal(await world.balance('NGN'), 98_500)
})

test('an answer is kept for 24 hours of the service clock', async (t) => {
  const service = await createService()
  const world = await createWorld(t, service)
  await world.fund('NGN', 10_000)
  const first = await convert(world, 'a', 'k')
  await world.advance(DAY_SECONDS - 60)
  assert.equal((await convert(world, 'a', 'k')).body, first.body)
  await world.advance(120)
  const late = await convert(world, 'a', 'k')
  assert.deepEqual([late.statusCode, codeOf(late)], [409, 'reference_taken'])
})

test('a key belongs to its organization', async (t) => {
  const [one, other] = [await createWorld(t), await createWorld(t)]
  for (const world of [one, other]) {
    await world.fund('NGN', 5_000)
    const answer = await convert(world, 'a', 'shared')
    assert.equal(answer.statusCode, 201, answer.body)
    assert.equal(answer.headers['idempotent-replayed'], undefined)
  }
})

test('a key is 1 to 255 printable characters', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 100_000)
  for (const key of ['', 'x'.repeat(256), 'é', 'a\tb']) {
    const answer = await convert(world, 'a', key)
    assert.equal(answer.statusCode, 400, key)
    assert.equal(answer.json<{ error: { param: string } }>().error.param, 'Idempotency-Key')
  }
  assert.equal((await convert(world, 'a', 'x'.repeat(255))).statusCode, 201)
  assert.equal((await convert(world, 'b', 'with space ~!')).statusCode, 201)
})

test('the sandbox does not read the key', async (t) => {
  const world = await createWorld(t)
  for (const amount of [10, 20]) {
    const answer = await world.post('/v1/sandbox/wallets/NGN/fund', { amount }, { 'idempotency-key': 'k' })
    assert.equal(answer.statusCode, 202)
  }
  assert.equal(await world.balance('NGN'), 30)
})

test('an answer that carries a secret is kept encrypted and replayed whole', async (t) => {
  const world = await createWorld(t)
  const owner = await ownerOf(world)
  const path = `/v1/organizations/${world.organizationId}/api-keys`
  const headers = { ...owner.headers, 'idempotency-key': 'k' }
  const first = await world.post(path, { name: 'till' }, headers)
  assert.equal(first.statusCode, 201, first.body)
  const { key } = first.json<{ data: { key: string } }>().data
  const rows = await keptOf(world)
  assert.equal(rows.length, 1)
  assert(rows[0]!.isSealed && !rows[0]!.body.includes(key.slice(-12)))
  assert.equal((await world.post(path, { name: 'till' }, headers)).body, first.body)
})

function keptOf({ service, organizationId }: World) {
  return service.deps.db.many<{ body: string; isSealed: boolean }>(
    statement('select body, is_sealed as "isSealed" from idempotency_keys where organization_id = $1'),
    [organizationId],
  )
}

test('while the first request runs, a second one is told so', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 10_000)
  const { db } = world.service.deps
  await db.transaction(async (tx) => {
    // What a running request holds, in another process for all that ours knows.
    const lock = statement(`select pg_advisory_xact_lock(hashtextextended($1::text || '/' || $2, 0))`)
    await tx.many(lock, [world.organizationId, 'k'])
    const answer = await convert(world, 'a', 'k')
    assert.deepEqual([answer.statusCode, codeOf(answer)], [409, 'idempotency_key_in_use'])
  })
  assert.equal((await convert(world, 'a', 'k')).statusCode, 201)
})

test('a claim holds its key for 60 seconds by the wall clock, and is free when its process has died', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 10_000)
  const first = await convert(world, 'a', 'k')
  assert.equal(first.statusCode, 201)
  const { db } = world.service.deps
  const claimed = (seconds: number) =>
    db.transaction((tx) =>
      tx.many(
        statement(`update idempotency_keys set status = null, body = null, claim_id = gen_random_uuid(),
                          claimed_until = clock_timestamp() + make_interval(secs => $2::integer)
                    where organization_id = $1`),
        [world.organizationId, seconds],
      ),
    )
  await claimed(59)
  assert.equal(codeOf(await convert(world, 'a', 'k')), 'idempotency_key_in_use')
  await claimed(-1)
  assert.equal(codeOf(await convert(world, 'a', 'k')), 'reference_taken')
})

test('a route that asks outside before it writes has one effect under fifty copies, and replays its secret', async (t) => {
  const world = await createWorld(t)
  const path = `/organizations/${world.organizationId}/webhooks`
  const create = () => world.post(path, { url: 'http://127.0.0.1:9/hook' }, { 'idempotency-key': 'k' })
  const answers = await Promise.all(Array.from({ length: 50 }, create))
  assert.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([201, 409]))
  const created = answers.filter(({ statusCode }) => statusCode === 201).map(({ body }) => body)
  assert.equal(new Set(created).size, 1)
  const replay = await create()
  assert.equal(replay.body, created[0])
  assert.match(replay.json<{ data: { secret: string } }>().data.secret, /^whsec_/)
  const listed = (await world.get(path)).json<{ data: { endpoints: unknown[] } }>().data.endpoints
  assert.equal(listed.length, 1)
})

test('a request is known again after the master key was rotated, and by no digest anybody could compute', async (t) => {
  const [old, next] = ['old', 'new'].map((id, index) => `${id}:${Buffer.alloc(32, index + 1).toString('base64')}`)
  const before = await createService({ roles: ['api'], env: { KOLO_MASTER_KEY: old! } })
  const world = await createWorld(t, before)
  const wish = { firstName: 'Ada', lastName: 'Obi', email: 'ada@example.com' }
  const headers = { authorization: `Bearer ${world.apiKey}`, 'idempotency-key': 'k' }
  const create = (service: typeof before) =>
    service.app.fastify.inject({ method: 'POST', url: '/api/v1/customers', headers, payload: wish })
  const first = await create(before)
  assert.equal(first.statusCode, 201, first.body)
  const { fingerprint } = await before.deps.db.one<{ fingerprint: Buffer }>(
    statement('select fingerprint from idempotency_keys where organization_id = $1'),
    [world.organizationId],
  )
  const unkeyed = createHash('sha256')
    .update(`POST\n/api/v1/customers\n${JSON.stringify(wish)}`)
    .digest()
  assert(!fingerprint.equals(unkeyed))
  const env = { KOLO_MASTER_KEY: `${next},${old}` }
  const after = await createService({ roles: ['api'], databaseUrl: before.databaseUrl, env })
  const again = await create(after)
  assert.deepEqual([again.statusCode, again.body], [201, first.body])
})
