import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askFor, eventsOf, paymentIn, quiet, read, reviewItems, visit, wallet } from '../../test/payments.ts'
import { createService } from '../../test/service.ts'
import { createWorld } from '../../test/world.ts'
import { countOf } from '../../test/counts.ts'
import { beginAttempt } from './payer.ts'

const service = createService({ env: { KOLO_SETTLEMENT_SECONDS: '86400' } })
const rounds = countOf({ test: 5, long: 20, soak: 100 })

test('cancel against execute: one wins, and no money is lost', async (t) => {
  const world = await createWorld(t, await service)
  let [executed, late] = [0, 0]
  for (let round = 0; round < rounds; round += 1) {
    const payment = await paymentIn(world, round % 2 ? 'authorising' : 'created')
    const [cancelled] = await Promise.all([
      world.post(`/v1/payments/${payment.id}/cancel`),
      world.post(`/v1/sandbox/payments/${payment.id}/execute`),
    ])
    await quiet(world)
    const { status } = await read(world, payment)
    assert.equal(cancelled.statusCode, status === 'executed' ? 409 : 200, status)
    if (status === 'executed') executed += 1
    else late += 1
  }
  assert.equal((await wallet(world)).pendingBalance, executed * 5_000)
  const items = await reviewItems(world, '?limit=100')
  assert.deepEqual(
    items.map(({ kind, amount }) => [kind, amount]),
    Array.from({ length: late }, () => ['late_payment', 5_000]),
  )
})

test('cancelling what the payer has approved meanwhile is refused, and the payment is paid', async (t) => {
  const world = await createWorld(t, await service)
  const payment = await askFor(world)
  const { step } = await beginAttempt(world.service.deps, await visit(world, payment), { methodId: 'card_ngn' })
  await fetch(`${(step as { url: string }).url}/approve`, { method: 'POST', redirect: 'manual' })
  const response = await world.post(`/v1/payments/${payment.id}/cancel`, undefined, { 'idempotency-key': 'k1' })
  assert.equal(response.statusCode, 409, response.body)
  const again = await world.post(`/v1/payments/${payment.id}/cancel`, undefined, { 'idempotency-key': 'k1' })
  assert.equal(again.body, response.body)
  await quiet(world)
  assert.equal((await read(world, payment)).status, 'executed')
})

test('expire against execute: one wins, and no money is lost', async (t) => {
  const world = await createWorld(t, await service)
  const payments = []
  for (let round = 0; round < rounds; round += 1) payments.push(await askFor(world, { expiresIn: 300 }))
  await Promise.all([world.advance(301), ...payments.map(({ id }) => world.post(`/v1/sandbox/payments/${id}/execute`))])
  await quiet(world)
  const ended = await Promise.all(payments.map((payment) => read(world, payment)))
  const executed = ended.filter(({ status }) => status === 'executed').length
  const expired = ended.filter(({ status }) => status === 'expired').length
  assert.equal(executed + expired, rounds)
  assert.equal((await wallet(world)).pendingBalance, executed * 5_000)
  assert.equal((await reviewItems(world, '?limit=100')).length, expired)
})

test('a new link while somebody pays disturbs nobody', async (t) => {
  const world = await createWorld(t, await service)
  const payment = await paymentIn(world, 'authorising')
  const [refreshed] = await Promise.all([
    world.post(`/v1/payments/${payment.id}/refresh-link`),
    world.post(`/v1/sandbox/payments/${payment.id}/execute`),
  ])
  await quiet(world)
  assert.ok([200, 409].includes(refreshed.statusCode))
  assert.equal((await read(world, payment)).status, 'executed')
})

test('the same word said many times at once happens once', async (t) => {
  const world = await createWorld(t, await service)
  const payment = await askFor(world)
  await Promise.all(Array.from({ length: 10 }, () => world.post(`/v1/sandbox/payments/${payment.id}/execute`)))
  await quiet(world)
  assert.equal((await wallet(world)).pendingBalance, 5_000)
  assert.deepEqual(
    (await eventsOf(world, payment)).map(({ type }) => type),
    ['payment.created', 'payment.executed'],
  )
  assert.deepEqual(await reviewItems(world), [])
})

test('the same Idempotency-Key in parallel makes one payment', async (t) => {
  const world = await createWorld(t, await service)
  const wish = { reference: 'once', sourceCurrency: 'NGN', sourceAmount: 10 }
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => world.post('/v1/payments', wish, { 'idempotency-key': 'same' })),
  )
  const made = answers.filter(({ statusCode }) => statusCode === 201)
  assert.ok(made.length > 0)
  assert.equal(new Set(made.map(({ body }) => body)).size, 1)
  assert.ok(answers.every(({ statusCode }) => statusCode === 201 || statusCode === 409))
  const { payments } = (await world.get('/v1/payments')).json<{ data: { payments: unknown[] } }>().data
  assert.equal(payments.length, 1)
})

test('moving the clock: every open payment expires once, every executed one settles, the books balance', async (t) => {
  const world = await createWorld(t, await service)
  const [open, executed] = [[], []] as [string[], string[]]
  for (let round = 0; round < rounds * 4; round += 1) {
    const payment = await askFor(world, { expiresIn: 300 + round * 60, linkExpiresIn: 300 })
    if (round % 2) {
      await world.post(`/v1/sandbox/payments/${payment.id}/execute`)
      executed.push(payment.id)
    } else {
      open.push(payment.id)
    }
  }
  await quiet(world)
  const { complete } = await world.advance(10 * 86_400)
  assert.ok(complete)
  for (const id of open) {
    const { status, statusHistory, expiresAt } = await read(world, { id })
    assert.deepEqual([status, statusHistory.length], ['expired', 2])
    assert.equal(statusHistory[1]?.at, expiresAt, 'it expired exactly when it should')
  }
  for (const id of executed) assert.equal((await read(world, { id })).status, 'settled')
  const { balance, pendingBalance } = await wallet(world)
  assert.deepEqual([balance, pendingBalance], [executed.length * 4_925, 0])
})
