import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verify } from '../../test/receiver.ts'
import { announce, hook, hours } from '../../test/webhooks.ts'
import { eventually } from '../../test/world.ts'
import { sql } from '../db/sql.ts'

test('an event reaches the endpoint signed, with its exact bytes, and is recorded as delivered', async (t) => {
  const { world, receiver, endpoint, deliveries, when } = await hook(t)
  await announce(world)
  const full = await when('delivered', ({ status }) => status === 'delivered')
  const [received] = receiver.received
  verify(received!, endpoint.secret!)
  assert.equal(full.payload, received!.body)
  assert.equal(received!.headers['x-webhook-id'], received!.event.id)
  assert.equal(received!.headers['x-webhook-event'], 'transfer.completed')
  assert.equal(received!.headers['x-webhook-attempt'], '1')
  assert.equal(received!.headers['user-agent'], 'Kolo-Webhooks/1.0')
  assert.equal(received!.headers['content-type'], 'application/json')
  assert.match(received!.headers['x-webhook-signature'] as string, /^sha256=[0-9a-f]{64}$/)
  assert.deepEqual(Object.keys(received!.event), ['id', 'type', 'createdAt', 'data'])
  const [attempt] = full.attempts
  assert.deepEqual(
    [attempt!.number, attempt!.trigger, attempt!.responseStatus, attempt!.responseBody, attempt!.error],
    [1, 'automatic', 200, 'ok', null],
  )
  assert.equal(full.nextAttemptAt, null)
  assert(full.completedAt)
  const [item] = await deliveries()
  assert(!('attempts' in item!) && !('payload' in item!), 'items come without attempts and payload')
  const event = await world.get(`/v1/events/${full.eventId}`)
  assert.deepEqual(event.json<{ data: unknown }>().data, JSON.parse(full.payload))
})

for (const [name, steps] of [
  ['one big step', [hours(32)]],
  ['small steps', Array.from({ length: 64 }, () => hours(0.5))],
] as const) {
  test(`six attempts, exactly 1, 2, 4, 8 and 16 hours after each failure, in ${name}`, async (t) => {
    const { world, receiver, endpoint, when, delivery } = await hook(t, { signaturePrefix: 'v1' })
    receiver.answer((response) => response.writeHead(500, { 'retry-after': '86400' }).end())
    await announce(world)
    const first = await when('the first attempt', ({ attemptCount }) => attemptCount === 1)
    assert.equal(first.status, 'pending')
    const failedAt = Date.parse(first.nextAttemptAt!) - hours(1) * 1000
    assert(failedAt >= Date.parse(first.attempts[0]!.at) && failedAt <= world.service.deps.now().getTime())
    for (const seconds of steps) assert.equal((await world.advance(seconds)).complete, true)
    const full = await delivery(first.id)
    assert.equal(full.status, 'failed')
    assert.deepEqual(
      full.attempts.slice(1).map(({ at }) => Date.parse(at) - failedAt),
      [1, 3, 7, 15, 31].map((count) => hours(count) * 1000),
    )
    assert.equal(new Set(receiver.received.map(({ body }) => body)).size, 1)
    assert.deepEqual(
      receiver.received.map(({ headers }) => headers['x-webhook-attempt']),
      ['1', '2', '3', '4', '5', '6'],
    )
    for (const received of receiver.received) {
      verify(received, endpoint.secret!)
      assert.match(received.headers['x-webhook-signature'] as string, /^v1=/)
    }
    assert.equal((await world.advance(hours(100))).complete, true)
    assert.equal(receiver.received.length, 6)
  })
}

test('moving the clock tells which deliveries were tried', async (t) => {
  const { world, receiver, when } = await hook(t)
  receiver.answer(500)
  await announce(world)
  const { id } = await when('the first attempt', ({ attemptCount }) => attemptCount === 1)
  const { happened } = (await world.advance(hours(3))) as unknown as {
    happened: { kind: string; resourceId: string }[]
  }
  assert.deepEqual(
    happened.filter(({ resourceId }) => resourceId === id).map(({ kind }) => kind),
    ['webhook.retrying', 'webhook.retrying'],
  )
})

test('an endpoint hears only the types it asked for, and nothing while it is inactive', async (t) => {
  const some = await hook(t, { events: ['transfer.failed'] })
  await announce(some.world)
  const none = await hook(t, { isActive: false })
  await announce(none.world)
  const every = await hook(t)
  await announce(every.world)
  await every.when('delivered', ({ status }) => status === 'delivered')
  assert.deepEqual(await some.deliveries(), [])
  assert.deepEqual(await none.deliveries(), [])
})

test('an unsigned delivery carries neither signature header', async (t) => {
  const { world, receiver, endpoint, when } = await hook(t, { secret: null })
  assert.equal(endpoint.hasSigningSecret, false)
  assert.equal(endpoint.secret, undefined)
  await announce(world)
  await when('delivered', ({ status }) => status === 'delivered')
  const { headers } = receiver.received[0]!
  assert.deepEqual([headers['x-webhook-signature'], headers['x-webhook-timestamp']], [undefined, undefined])
})

test('custom headers are sent as given', async (t) => {
  const { world, receiver, when } = await hook(t, { headers: { Authorization: 'Basic abc', 'X-Shop': 'lagos' } })
  await announce(world)
  await when('delivered', ({ status }) => status === 'delivered')
  const { headers } = receiver.received[0]!
  assert.deepEqual([headers.authorization, headers['x-shop']], ['Basic abc', 'lagos'])
})

test('the timestamp is real time, also when the service clock was moved', async (t) => {
  const { world, receiver, endpoint, when } = await hook(t)
  await world.advance(hours(24 * 40))
  await announce(world)
  await when('delivered', ({ status }) => status === 'delivered')
  verify(receiver.received[0]!, endpoint.secret!)
  assert(Date.parse(receiver.received[0]!.event.createdAt) > Date.now() + hours(24 * 39) * 1000)
})

test('deliveries are filtered by status, type and creation', async (t) => {
  const { world, receiver, path, deliveries, when } = await hook(t)
  await announce(world)
  const first = await when('delivered', ({ status }) => status === 'delivered')
  receiver.answer(500)
  await announce(world)
  await when('the second tried', ({ attemptCount, id }) => attemptCount === 1 && id !== first.id)
  assert.equal((await deliveries('?status=delivered')).length, 1)
  assert.equal((await deliveries('?status=pending')).length, 1)
  assert.equal((await deliveries('?status=failed')).length, 0)
  assert.equal((await deliveries('?eventType=transfer.completed')).length, 2)
  assert.equal((await deliveries('?eventType=transfer.failed')).length, 0)
  assert.equal((await deliveries(`?createdFrom=${first.createdAt}`)).length, 2)
  assert.equal((await deliveries(`?createdTo=${first.createdAt}`)).length, 0)
  assert.equal((await world.get(`${path}/deliveries?state=x`)).statusCode, 400)
})

test('at most ten requests are under way per endpoint, and another endpoint does not wait for them', async (t) => {
  const slow = await hook(t)
  const quick = await hook(t)
  const gate = Promise.withResolvers<void>()
  slow.receiver.answer((response) => void gate.promise.then(() => response.end()))
  await Promise.all(Array.from({ length: 25 }, () => announce(slow.world)))
  await eventually('ten are under way', () => slow.receiver.received.length === 10)
  const startedAt = performance.now()
  await announce(quick.world)
  await quick.when('delivered', ({ status }) => status === 'delivered')
  assert(performance.now() - startedAt < 1_000)
  assert.equal(slow.receiver.received.length, 10)
  gate.resolve()
  await eventually('all delivered', async () => {
    const all = await slow.deliveries('?limit=100')
    return all.length === 25 && all.every(({ status }) => status === 'delivered')
  })
  assert.equal(slow.receiver.received.length, 25)
})

test('a delivery written for an endpoint that was deleted at the same moment is cancelled, not sent', async (t) => {
  const { world, receiver, endpoint, deliveries } = await hook(t)
  await announce(world)
  await eventually('delivered', () => receiver.received.length === 1)
  const { db } = world.service.deps
  const race = sql`
    with event as (select organization_id, id, type, created_at from events where organization_id = $1 limit 1),
    gone as (update webhook_endpoints set deleted_at = $3, is_active = false where organization_id = $1 and id = $2)
    insert into webhook_deliveries (organization_id, id, endpoint_id, event_id, event_type, next_attempt_at, created_at, lane, due_at)
    select organization_id, uuid_of(created_at), $2, id, type, created_at, created_at, 'first', created_at from event`
  await db.transaction((tx) => tx.many(race, [world.organizationId, endpoint.id, world.service.deps.now()]))
  await eventually('cancelled', async () => (await deliveries()).some(({ status }) => status === 'cancelled'))
  assert.equal(receiver.received.length, 1)
})
