import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createReceiver, verify } from '../../test/receiver.ts'
import { createWorld, eventually, type World } from '../../test/world.ts'

type Attempt = {
  number: number
  trigger: string
  at: string
  durationMs: number
  responseStatus: number | null
  responseBody: string | null
  error: string | null
}
type Delivery = {
  id: string
  endpointId: string
  eventId: string
  eventType: string
  status: string
  attemptCount: number
  nextAttemptAt: string | null
  createdAt: string
  completedAt: string | null
  attempts: Attempt[]
  payload: string
}

const hours = (count: number) => count * 3600

async function setUp(t: TestContext, wish: Record<string, unknown> = {}) {
  const world = await createWorld(t)
  const receiver = await createReceiver(t)
  const path = `/organizations/${world.organizationId}/webhooks`
  const created = await world.post(path, { url: `${receiver.url}/hook`, ...wish })
  assert.equal(created.statusCode, 201, created.body)
  const endpoint = created.json<{ data: { id: string; secret: string } }>().data
  const at = `${path}/${endpoint.id}`
  return {
    world,
    receiver,
    endpoint,
    path: at,
    deliveries: async () =>
      (await world.get(`${at}/deliveries`)).json<{ data: { deliveries: Delivery[] } }>().data.deliveries,
    delivery: async (id: string) => (await world.get(`${at}/deliveries/${id}`)).json<{ data: Delivery }>().data,
  }
}

/** Something happens that is announced. */
async function announce(world: World, reference = 'r1'): Promise<void> {
  await world.fund('NGN', 1_500)
  const body = { reference, sourceCurrency: 'NGN', targetCurrency: 'USD', sourceAmount: 1_500 }
  assert.equal((await world.post('/v1/transfers', body)).statusCode, 201)
}

test('an event reaches the endpoint signed, with its exact bytes, and is recorded as delivered', async (t) => {
  const { world, receiver, endpoint, deliveries, delivery } = await setUp(t)
  await announce(world)
  await eventually('delivered', async () => (await deliveries())[0]?.status === 'delivered')
  const [received] = receiver.received
  verify(received!, endpoint.secret)
  const [item] = await deliveries()
  const full = await delivery(item!.id)
  assert.equal(full.payload, received!.body)
  assert.equal(received!.headers['x-webhook-id'], received!.event.id)
  assert.equal(received!.headers['x-webhook-event'], 'transfer.completed')
  assert.equal(received!.headers['x-webhook-attempt'], '1')
  assert.equal(received!.headers['user-agent'], 'Kolo-Webhooks/1.0')
  assert.equal(received!.headers['content-type'], 'application/json')
  assert.match(received!.headers['x-webhook-signature'] as string, /^sha256=[0-9a-f]{64}$/)
  assert.deepEqual(Object.keys(received!.event), ['id', 'type', 'createdAt', 'data'])
  assert.equal(full.attempts.length, 1)
  const [attempt] = full.attempts
  assert.deepEqual(
    [attempt!.number, attempt!.trigger, attempt!.responseStatus, attempt!.responseBody, attempt!.error],
    [1, 'automatic', 200, 'ok', null],
  )
  assert.equal(full.nextAttemptAt, null)
  assert(full.completedAt)
  assert(!('attempts' in item!) && !('payload' in item!), 'items come without attempts and payload')
})

for (const [name, steps] of [
  ['one big step', [hours(32)]],
  ['small steps', Array.from({ length: 64 }, () => hours(0.5))],
] as const) {
  test(`six attempts, exactly 1, 2, 4, 8 and 16 hours after each failure, in ${name}`, async (t) => {
    const { world, receiver, endpoint, deliveries, delivery } = await setUp(t, { signaturePrefix: 'v1' })
    receiver.answer(500)
    await announce(world)
    await eventually('the first attempt', async () => (await deliveries())[0]?.attemptCount === 1)
    for (const seconds of steps) assert.equal((await world.advance(seconds)).complete, true)
    const full = await delivery((await deliveries())[0]!.id)
    assert.equal(full.status, 'failed')
    assert.equal(full.attempts.length, 6)
    const began = full.attempts.map(({ at }) => Date.parse(at))
    const gaps = began.slice(1).map((at, index) => at - began[index]!)
    assert.deepEqual(
      gaps.slice(1),
      [2, 4, 8, 16].map((count) => hours(count) * 1000),
    )
    // The first failure is not at the instant the attempt began: the clock ran while it was under way.
    assert(Math.abs(gaps[0]! - hours(1) * 1000 - full.attempts[0]!.durationMs) < 50, String(gaps[0]))
    assert.equal(new Set(receiver.received.map(({ body }) => body)).size, 1)
    assert.deepEqual(
      receiver.received.map(({ headers }) => headers['x-webhook-attempt']),
      ['1', '2', '3', '4', '5', '6'],
    )
    for (const received of receiver.received) {
      verify(received, endpoint.secret)
      assert.match(received.headers['x-webhook-signature'] as string, /^v1=/)
    }
    assert.equal((await world.advance(hours(100))).complete, true)
    assert.equal(receiver.received.length, 6)
  })
}
