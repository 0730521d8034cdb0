import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { createCustomer } from '../../test/customers.ts'
import { createWorld, type World } from '../../test/world.ts'
import { statement } from '../db/sql.ts'

// Requests with a key that come at the same moment are written together; nobody may notice.

type Said = { data?: { reference: string }; error?: { code: string; requestId: string } }

function ask(world: World, key: string, wish: object) {
  const body = { reference: key, sourceCurrency: 'NGN', sourceAmount: 5_000, ...wish }
  return world.post('/v1/payments', body, { 'idempotency-key': key })
}

function told(answer: Awaited<ReturnType<typeof ask>>): string {
  const { data, error } = answer.json<Said>()
  return `${answer.statusCode} ${data?.reference ?? error?.code}`
}

test('requests at the same moment are each answered for themselves, once and again', async (t) => {
  const world = await createWorld(t)
  const customer = await createCustomer(world)
  const wish = { kind: 'payment', sourceCurrency: 'GHS', targetCurrency: 'NGN', sourceAmount: 100 }
  const quoteId = (await world.post('/v1/quotes', wish)).json<{ data: { id: string } }>().data.id
  const quoted = { quoteId, sourceCurrency: 'GHS', targetCurrency: 'NGN', sourceAmount: 100 }
  const wishes: [key: string, wish: object, says: string][] = [
    ['first', {}, '201 first'],
    ['taken', { reference: 'first' }, '409 reference_taken'],
    ['nobody', { customerId: randomUUID() }, '422 customer_not_found'],
    ['somebody', { customerId: customer.id, metadata: { a: '"\\,{}' }, description: 'Tea, "milk"' }, '201 somebody'],
    ['quoted', quoted, '201 quoted'],
    ['quoted-again', quoted, '409 quote_used'],
    ['long', { linkExpiresIn: 600, expiresIn: 300 }, '400 invalid_request'],
    ['converted', { targetCurrency: 'USD' }, '201 converted'],
    ...Array.from({ length: 20 }, (_, n): [string, object, string] => [`more-${n}`, {}, `201 more-${n}`]),
  ]
  const answers = await Promise.all(wishes.map(([key, more]) => ask(world, key, more)))
  // Which of two that want the same comes first is nobody's to say.
  assert.deepEqual(
    answers.map((answer) => told(answer).replace('-again', '')).toSorted(),
    wishes.map(([, , says]) => says).toSorted(),
  )
  const again = await Promise.all(wishes.map(([key, more]) => ask(world, key, more)))
  for (const [index, answer] of again.entries()) {
    const isKept = answers[index]!.statusCode !== 400
    assert.equal(answer.headers['idempotent-replayed'], isKept ? 'true' : undefined)
    if (isKept) assert.equal(answer.body, answers[index]!.body)
  }
  const list = await world.get('/v1/payments?limit=100')
  const { payments } = list.json<{ data: { payments: { id: string; metadata: object | null }[] } }>().data
  const made = answers.filter(({ statusCode }) => statusCode === 201)
  assert.equal(payments.length, made.length)
  const byId = new Map(payments.map((payment) => [payment.id, payment]))
  for (const answer of made) {
    const { data } = answer.json<{ data: { id: string } }>()
    assert.deepEqual(byId.get(data.id), data)
  }
})

test('one key at the same moment is one payment; another request with it is refused', async (t) => {
  const world = await createWorld(t)
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, n) => ask(world, 'one', { reference: n < 25 ? 'one' : 'other' })),
  )
  const said = new Set(answers.map(told))
  assert.ok(said.has('201 one') !== said.has('201 other'), [...said].join())
  const allowed = new Set(['201 one', '201 other', '409 idempotency_key_in_use', '422 idempotency_key_reused'])
  assert.deepEqual(said.difference(allowed), new Set())
  const { total } = (await world.get('/v1/payments')).json<{ data: { pagination: { total: number } } }>().data
    .pagination
  assert.equal(total, 1)
})

test('what comes at the same moment pays few commits', async (t) => {
  const world = await createWorld(t)
  const transactionsSql = statement<{ count: number }>(
    'select count(distinct xmin::text)::integer as count from payments where organization_id = $1',
  )
  await Promise.all(Array.from({ length: 60 }, (_, n) => ask(world, `n-${n}`, {})))
  const { count } = await world.service.deps.db.one(transactionsSql, [world.organizationId])
  assert.ok(count < 20, `60 payments in ${count} transactions`)
})

test('organizations do not see each other in what is written together', async (t) => {
  const worlds = [await createWorld(t), await createWorld(t)]
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) => ask(worlds[n % 2]!, `same-${n >> 1}`, { sourceAmount: 100 + (n % 2) })),
  )
  assert.ok(answers.every(({ statusCode }) => statusCode === 201))
  for (const [index, world] of worlds.entries()) {
    const list = await world.get('/v1/payments?limit=100')
    const { payments } = list.json<{ data: { payments: { sourceAmount: number }[] } }>().data
    assert.deepEqual(
      payments.map(({ sourceAmount }) => sourceAmount),
      Array.from({ length: 20 }, () => 100 + index),
    )
  }
})
