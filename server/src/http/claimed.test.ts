import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ada, customerEvents, GOOD_BVN, MISMATCHED_BVN, type Refused } from '../../test/customers.ts'
import { behave } from '../../test/simulator.ts'
import { createWorld, eventually, type World } from '../../test/world.ts'
import { statement } from '../db/sql.ts'

// Routes that ask a provider before they write claim their Idempotency-Key first. A customer with a BVN is one.

const verified = { ...ada, identityType: 'BVN', identityNumber: GOOD_BVN }
const mismatched = { ...verified, identityNumber: MISMATCHED_BVN }

function create(world: World, body: object = verified, key = 'key') {
  return world.post('/v1/customers', body, { 'idempotency-key': key })
}

async function countCustomers(world: World): Promise<number> {
  return (await world.get('/v1/customers')).json<{ data: { pagination: { total: number } } }>().data.pagination.total
}

/** Makes the identity provider slow for as long as `work` takes. */
async function whileSlow<T>(world: World, slowMs: number, work: () => Promise<T>): Promise<T> {
  await behave(world, 'identity', { slowMs })
  try {
    return await work()
  } finally {
    await behave(world, 'identity', {})
  }
}

const claims = statement<{ count: number }>(
  'select count(*)::integer as count from idempotency_keys where organization_id = $1 and claim_id is not null',
)
const isClaimed = async ({ service, organizationId }: World) =>
  (await service.deps.db.one(claims, [organizationId])).count === 1

const takeAway = statement<{ key: string }>(
  `update idempotency_keys set claim_id = gen_random_uuid() where organization_id = $1 and claim_id is not null returning key`,
)

test('an answer is kept with its effect and replayed byte for byte', async (t) => {
  const world = await createWorld(t)
  const [first, again] = [await create(world), await create(world)]
  assert.deepEqual([first.statusCode, again.statusCode, again.body], [201, 201, first.body])
  assert.equal(first.headers['idempotent-replayed'], undefined)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.notEqual(again.headers['x-request-id'], first.headers['x-request-id'])
  assert.equal(await countCustomers(world), 1)
  assert.equal((await customerEvents(world)).length, 1)
})

test('a key in parallel is one effect: the others are told to ask again, or get the same answer', async (t) => {
  const world = await createWorld(t)
  const answers = await whileSlow(world, 100, () => Promise.all(Array.from({ length: 30 }, () => create(world))))
  const created = answers.filter(({ statusCode }) => statusCode === 201)
  assert.ok(created.length >= 1)
  assert.equal(new Set(created.map(({ body }) => body)).size, 1)
  for (const answer of answers.filter((one) => !created.includes(one))) {
    assert.deepEqual([answer.statusCode, answer.json<Refused>().error.code], [409, 'idempotency_key_in_use'])
  }
  assert.equal(await countCustomers(world), 1)
})

test('a key belongs to one request, also while that is running', async (t) => {
  const world = await createWorld(t)
  const [first, other] = await whileSlow(world, 300, async () => {
    const running = create(world)
    await eventually('the key is claimed', () => isClaimed(world))
    return [running, await create(world, { ...verified, email: 'other@x.ng' })] as const
  })
  assert.deepEqual([other.statusCode, other.json<Refused>().error.code], [422, 'idempotency_key_reused'])
  assert.equal((await first).statusCode, 201)
})

test('a refusal is kept and replayed; a malformed request and a silent provider are not', async (t) => {
  const world = await createWorld(t)
  const [refused, again] = [await create(world, mismatched, 'no'), await create(world, mismatched, 'no')]
  assert.deepEqual([refused.statusCode, again.statusCode, again.body], [422, 422, refused.body])
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal((await create(world, { ...verified, dateOfBirth: '2999-01-01' }, 'malformed')).statusCode, 400)
  assert.equal((await create(world, verified, 'malformed')).statusCode, 201)
  await behave(world, 'identity', { isDown: true })
  const other = { ...verified, email: 'other@x.ng' }
  assert.equal((await create(world, other, 'silent')).statusCode, 502)
  await behave(world, 'identity', {})
  assert.equal((await create(world, other, 'silent')).statusCode, 201, 'the key was free at once')
  const [taken, replayed] = [await create(world, verified, 'taken'), await create(world, verified, 'taken')]
  assert.deepEqual([taken.statusCode, replayed.statusCode, replayed.body], [409, 409, taken.body])
})

test('the claim of a process that died is free once its lease has ended', async (t) => {
  const world = await createWorld(t)
  const { db } = world.service.deps
  // What is left of a process that died while it waited for the provider: its claim.
  const running = await whileSlow(world, 300, async () => {
    const dying = create(world, verified, 'dying')
    await eventually('the key is claimed', () => isClaimed(world))
    await db.transaction((tx) => tx.many(takeAway, [world.organizationId]))
    return dying
  })
  assert.equal((await create(world, verified, 'dying')).statusCode, 409)
  const leaseEnds = statement(
    `update idempotency_keys set claimed_until = claimed_until - interval '61 seconds' where organization_id = $1`,
  )
  await db.transaction((tx) => tx.many(leaseEnds, [world.organizationId]))
  assert.equal((await create(world, verified, 'dying')).statusCode, 201)
  assert.equal(running.statusCode, 409)
})

test('a request that lost its claim leaves nothing behind, whatever the provider said', async (t) => {
  for (const body of [verified, mismatched]) {
    const world = await createWorld(t)
    const answer = await whileSlow(world, 300, async () => {
      const late = create(world, body)
      await eventually('the key is claimed', () => isClaimed(world))
      await world.service.deps.db.transaction((tx) => tx.many(takeAway, [world.organizationId]))
      return late
    })
    assert.deepEqual([answer.statusCode, answer.json<Refused>().error.code], [409, 'idempotency_key_in_use'])
    assert.equal(await countCustomers(world), 0)
    assert.deepEqual(await customerEvents(world), [])
    assert.ok(await isClaimed(world), "another's claim stays")
  }
})
