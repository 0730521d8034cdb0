import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { statement } from '../../src/db/sql.ts'
import type { FaultPoint } from '../../src/fault-point.ts'
import { beginAttempt } from '../../src/payments/payer.ts'
import {
  assertAgreement,
  bringHome,
  compare,
  furnish,
  kinds,
  LONG_SECONDS,
  serving,
  start,
  tellFirst,
} from '../payment-fates.ts'
import { askFor, owner, read, reviewItems, visit } from '../payments.ts'
import { createWorld, eventually } from '../world.ts'

/** In the order a payment comes by them; where one is passed before the commit, the next worker finds the same work. */
const points: readonly FaultPoint[] = [
  'payment.announced',
  'payment.facts_applied',
  'notices.committed',
  'payment.settling',
  'payment.settled',
  'payment.settlement_committed',
  'payment.answered',
  'payment.answers_committed',
  'payment.ended_at_rail',
  'payment.endings_committed',
  'payment.expired',
  'payment.expiry_committed',
]

test('workers that die at each point, one after the other, neither lose a payment nor take one twice', async (t) => {
  const world = await createWorld(t, await serving)
  const fated = await furnish(world, 2 * kinds.length)
  const moving = world.advance(LONG_SECONDS)
  for (const point of points) {
    const worker = await start(world, 'worker', point)
    await Promise.race([worker.ended, tooLate(`a worker dies at ${point}`)])
  }
  await bringHome(world, fated, moving)
  await assertAgreement(world, fated)
})

async function tooLate(what: string): Promise<never> {
  await pause(30_000, undefined, { ref: false })
  throw new Error(`not in time: ${what}`)
}

for (const point of ['return.sent', 'return.recorded'] as const) {
  test(`a worker that dies at ${point} sends money back once`, async (t) => {
    const world = await createWorld(t, await serving)
    const payment = await askFor(world)
    await tellFirst(world, 'late', payment)
    const living = await start(world, 'worker')
    await eventually('the money is in suspense', async () => (await reviewItems(world)).length === 1)
    await living.kill()
    const [item] = await reviewItems(world)
    const answer = await world.post(
      `/v1/review-items/${item!.id}/resolve`,
      { action: 'return', note: 'late' },
      await owner(world),
    )
    assert.equal(answer.statusCode, 202, answer.body)
    await (
      await start(world, 'worker', point)
    ).ended
    const worker = await start(world, 'worker')
    await eventually('it is back', async () => {
      await world.advance(60)
      return (await reviewItems(world))[0]?.status === 'resolved'
    })
    await worker.kill()
    const returnsSql = statement<{ count: number; amount: number }>(`
      select count(*)::integer as count, sum(r.amount)::float8 as amount from simulator.collection_returns r
        join payment_attempts a on a.id::text = r.order_id where a.organization_id = $1`)
    const returned = await world.service.deps.db.one(returnsSql, [world.organizationId])
    assert.deepEqual(returned, { count: 1, amount: 5_000 })
  })
}

for (const point of ['payment.ordered', 'payment.begun_at_rail'] as const) {
  test(`an API that dies at ${point} leaves a payment that can be paid, once`, async (t) => {
    const world = await createWorld(t, await serving)
    const payment = await askFor(world, { expiresIn: 86_400 })
    const dying = await start(world, 'api', point)
    const page = await fetch(`${dying.origin}/pay/${payment.linkToken}`)
    const cookie = page.headers.get('set-cookie')!.split(';', 1)[0]!
    const choosing = fetch(`${dying.origin}/pay/${payment.linkToken}/attempts`, {
      method: 'POST',
      headers: { cookie, origin: dying.origin },
      body: new URLSearchParams({ methodId: 'pay_by_bank_ngn' }),
    })
    await assert.rejects(choosing)
    const worker = await start(world, 'worker')
    await world.advance(61)
    assert.equal((await read(world, payment)).status, 'pending')
    const again = await beginAttempt(world.service.deps, await visit(world, payment), { methodId: 'pay_by_bank_ngn' })
    const { url } = again.step as { url: string }
    await fetch(`${url}/approve`, { method: 'POST', redirect: 'manual' })
    await eventually('it is paid', async () => (await read(world, payment)).status === 'executed')
    await worker.kill()
    const orders = await compare(world)
    assert.deepEqual(orders.map(({ theirs }) => theirs).toSorted(), ['received', 'voided'])
    assert.ok(orders.every(({ ours, theirs }) => ours === theirs))
  })
}

test('an API that dies before a payment is committed leaves nothing; asked again it makes one', async (t) => {
  const world = await createWorld(t, await serving)
  const dying = await start(world, 'api', 'payment.created')
  const [headers, body] = [
    { authorization: `Bearer ${world.apiKey}`, 'content-type': 'application/json', 'idempotency-key': 'once' },
    JSON.stringify({ reference: 'order-1', sourceCurrency: 'NGN', sourceAmount: 5_000 }),
  ]
  await assert.rejects(fetch(`${dying.origin}/api/v1/payments`, { method: 'POST', headers, body }))
  const total = async () =>
    (await world.get('/v1/payments')).json<{ data: { pagination: { total: number } } }>().data.pagination.total
  assert.equal(await total(), 0)
  assert.equal((await world.post('/v1/payments', body, headers)).statusCode, 201)
  assert.equal((await world.post('/v1/payments', body, headers)).headers['idempotent-replayed'], 'true')
  assert.equal(await total(), 1)
})
