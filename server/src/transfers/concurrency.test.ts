import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, eventually, type World } from '../../test/world.ts'
import { statement } from '../db/sql.ts'

type Answer = { statusCode: number; body: string }

/** As a client does: while the service says that it is too busy to begin, the same request again under the same key. */
async function persist(world: World, body: { reference: string; [field: string]: unknown }): Promise<Answer> {
  for (;;) {
    const answer = await world.post('/v1/transfers', body, { 'idempotency-key': body.reference })
    if (answer.statusCode !== 503) return answer
  }
}

test('of 100 debits at once against money for 60 exactly 60 pass', async (t) => {
  const [world, other] = [await createWorld(t), await createWorld(t)]
  await world.fund('NGN', 60)
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      persist(world, {
        reference: `debit-${index}`,
        sourceCurrency: 'NGN',
        sourceAmount: 1,
        destinationOrganizationId: other.organizationId,
      }),
    ),
  )
  const count = (status: number) => answers.filter(({ statusCode }) => statusCode === status).length
  assert.deepEqual([count(201), count(422)], [60, 40])
  assert.equal(await world.balance('NGN'), 0)
  await eventually('all have arrived', async () => (await other.balance('NGN')) === 60, 60_000)
})

test('a thousand transfers each way at once end, and not one is lost', async (t) => {
  const [a, b] = [await createWorld(t), await createWorld(t)]
  const { db } = a.service.deps
  await a.fund('NGN', 1_000)
  await b.fund('NGN', 1_000)
  const deadlocks = async () =>
    (
      await db.one<{ deadlocks: bigint }>(
        statement('select deadlocks from pg_stat_database where datname = current_database()'),
      )
    ).deadlocks
  const before = await deadlocks()
  const lane = async (from: typeof a, to: typeof a, name: string) => {
    for (let index = 0; index < 100; index += 1) {
      const answer = await persist(from, {
        reference: `${name}-${index}`,
        sourceCurrency: 'NGN',
        sourceAmount: 1,
        destinationOrganizationId: to.organizationId,
      })
      assert.equal(answer.statusCode, 201, answer.body)
    }
  }
  const lanes = Array.from({ length: 10 }, (_, index) => [lane(a, b, `a${index}`), lane(b, a, `b${index}`)])
  await Promise.all(lanes.flat())
  await eventually(
    'all have arrived',
    async () => (await a.balance('NGN')) === 1_000 && (await b.balance('NGN')) === 1_000,
    60_000,
  )
  const { pending } = await db.one<{ pending: number }>(
    statement(`select count(*)::integer as pending from transfers where status <> 'completed'`),
  )
  assert.equal(pending, 0)
  await db.many(statement('select pg_stat_force_next_flush()'))
  assert.equal(await deadlocks(), before)
})

test('opposite conversions at once do not wait for each other in a circle', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 1_000_000)
  await world.fund('USD', 1_000)
  const convert = (reference: string, from: string, to: string, sourceAmount: number) =>
    persist(world, { reference, sourceCurrency: from, targetCurrency: to, sourceAmount })
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      index % 2 ? convert(`n${index}`, 'NGN', 'USD', 1_500) : convert(`u${index}`, 'USD', 'NGN', 1),
    ),
  )
  assert.deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [201])
})

test('the same key fifty times at once is one transfer; the others replay it or are told to wait', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 100_000)
  const body = { reference: 'once', sourceCurrency: 'NGN', targetCurrency: 'USD', sourceAmount: 1_500 }
  const answers: Answer[] = await Promise.all(
    Array.from({ length: 50 }, () => world.post('/v1/transfers', body, { 'idempotency-key': 'once' })),
  )
  const made = answers.filter(({ statusCode }) => statusCode === 201)
  assert.ok(made.length >= 1)
  assert.equal(new Set(made.map((answer) => answer.body)).size, 1)
  for (const { statusCode, body: said } of answers.filter(({ statusCode: status }) => status !== 201 && status !== 503))
    assert.deepEqual([statusCode, /"code":"(\w+)"/.exec(said)?.[1]], [409, 'idempotency_key_in_use'])
  assert.equal(await world.balance('NGN'), 98_500)
})
