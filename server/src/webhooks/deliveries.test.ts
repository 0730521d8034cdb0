import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verify } from '../../test/receiver.ts'
import { announce, hook, hours, type Delivery } from '../../test/webhooks.ts'
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
    assert(Math.abs(failedAt - Date.parse(first.attempts[0]!.at) - first.attempts[0]!.durationMs) < 50)
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

test('a resend is one extra attempt; its success drops what waits', async (t) => {
  const { world, receiver, endpoint, path, when } = await hook(t)
  receiver.answer(500)
  await announce(world)
  const first = await when('the first attempt', ({ attemptCount }) => attemptCount === 1)
  receiver.answer(200)
  const resent = await world.post(`${path}/deliveries/${first.id}/resend`)
  assert.equal(resent.statusCode, 202, resent.body)
  assert.equal(resent.json<{ data: Delivery }>().data.id, first.id)
  const done = await when('delivered', ({ status }) => status === 'delivered')
  assert.deepEqual(
    done.attempts.map(({ trigger }) => trigger),
    ['automatic', 'manual'],
  )
  assert.equal(done.nextAttemptAt, null)
  verify(receiver.received[1]!, endpoint.secret!)
  assert.equal(receiver.received[0]!.body, receiver.received[1]!.body)
  await world.advance(hours(40))
  assert.equal(receiver.received.length, 2)
})

test('a failed resend changes neither status nor schedule', async (t) => {
  const { world, receiver, path, when, delivery } = await hook(t)
  receiver.answer(500)
  await announce(world)
  const first = await when('the first attempt', ({ attemptCount }) => attemptCount === 1)
  assert.equal((await world.post(`${path}/deliveries/${first.id}/resend`)).statusCode, 202)
  const second = await when('the resend', ({ attemptCount }) => attemptCount === 2)
  assert.deepEqual([second.status, second.nextAttemptAt], ['pending', first.nextAttemptAt])
  await world.advance(hours(40))
  const failed = await delivery(first.id)
  assert.equal(failed.status, 'failed')
  assert.equal(failed.attempts.filter(({ trigger }) => trigger === 'automatic').length, 6)
  await world.post(`${path}/deliveries/${first.id}/resend`)
  const still = await when('another resend', ({ attemptCount }) => attemptCount === 8)
  assert.deepEqual([still.status, still.completedAt], ['failed', failed.completedAt])
})

test('a delivered one stays delivered when it is sent again and fails', async (t) => {
  const { world, receiver, path, when } = await hook(t)
  await announce(world)
  const first = await when('delivered', ({ status }) => status === 'delivered')
  receiver.answer(503)
  await world.post(`${path}/deliveries/${first.id}/resend`)
  const again = await when('the resend', ({ attemptCount }) => attemptCount === 2)
  assert.deepEqual([again.status, again.completedAt, again.nextAttemptAt], ['delivered', first.completedAt, null])
})

test('a resend while an attempt is under way is refused', async (t) => {
  const { world, receiver, path, deliveries, when } = await hook(t)
  const gate = Promise.withResolvers<void>()
  receiver.answer((response) => void gate.promise.then(() => response.end()))
  await announce(world)
  await eventually('the request is under way', () => receiver.received.length === 1)
  const [{ id }] = (await deliveries()) as [Delivery]
  const refused = await world.post(`${path}/deliveries/${id}/resend`)
  assert.equal(refused.statusCode, 409)
  assert.equal(refused.json<{ error: { code: string } }>().error.code, 'delivery_in_progress')
  gate.resolve()
  await when('delivered', ({ status }) => status === 'delivered')
  assert.equal((await world.post(`${path}/deliveries/${id}/resend`)).statusCode, 202)
})

test('everything that failed since an instant is sent again by one call', async (t) => {
  const { world, receiver, path, deliveries } = await hook(t)
  receiver.answer(500)
  for (let count = 0; count < 15; count += 1) await announce(world)
  await eventually('all tried', async () => (await deliveries()).every(({ attemptCount }) => attemptCount === 1))
  await world.advance(hours(32))
  assert((await deliveries()).every(({ status }) => status === 'failed'))
  const since = new Date(Date.now() - hours(24 * 365) * 1000).toISOString()
  receiver.answer(200)
  const cancelled = await world.post(`${path}/deliveries/resend`, { status: 'cancelled', since })
  assert.deepEqual([cancelled.statusCode, cancelled.json()], [202, { data: { queued: 0 } }])
  const later = new Date(Date.now() + hours(24 * 3650) * 1000).toISOString()
  const none = await world.post(`${path}/deliveries/resend`, { status: 'failed', since: later })
  assert.deepEqual(none.json(), { data: { queued: 0 } })
  const all = await world.post(`${path}/deliveries/resend`, { status: 'failed', since })
  assert.deepEqual([all.statusCode, all.json()], [202, { data: { queued: 15 } }])
  await eventually('all delivered', async () => (await deliveries()).every(({ status }) => status === 'delivered'))
})

test('deleting an endpoint cancels what waits; its deliveries stay readable and are not sent again', async (t) => {
  const { world, receiver, all, path, when, delivery, deliveries } = await hook(t)
  receiver.answer(500)
  await announce(world)
  const first = await when('the first attempt', ({ attemptCount }) => attemptCount === 1)
  const deleted = await world.delete(path)
  assert.equal(deleted.statusCode, 200, deleted.body)
  const cancelled = await delivery(first.id)
  assert.deepEqual([cancelled.status, cancelled.nextAttemptAt], ['cancelled', null])
  assert.equal((await deliveries()).length, 1)
  for (const response of [
    await world.get(path),
    await world.patch(path, { description: 'x' }),
    await world.delete(path),
    await world.post(`${path}/rotate-secret`),
    await world.post(`${path}/test`),
  ]) {
    assert.equal(response.statusCode, 404, response.body)
  }
  assert.deepEqual((await world.get(all)).json<{ data: { endpoints: unknown[] } }>().data.endpoints, [])
  for (const resend of [
    await world.post(`${path}/deliveries/${first.id}/resend`),
    await world.post(`${path}/deliveries/resend`, { status: 'cancelled', since: '2020-01-01' }),
  ]) {
    assert.equal(resend.statusCode, 409)
    assert.equal(resend.json<{ error: { code: string } }>().error.code, 'endpoint_deleted')
  }
  await announce(world)
  await world.advance(hours(40))
  assert.equal(receiver.received.length, 1)
})

test('deactivating cancels what waits, and an attempt under way is not followed by a retry', async (t) => {
  const { world, receiver, path, when, delivery, deliveries } = await hook(t)
  receiver.answer(500)
  await announce(world)
  const waiting = await when('the first attempt', ({ attemptCount }) => attemptCount === 1)
  const gate = Promise.withResolvers<void>()
  receiver.answer((response) => void gate.promise.then(() => response.writeHead(500).end()))
  await announce(world)
  await eventually('the request is under way', () => receiver.received.length === 2)
  assert.equal((await world.patch(path, { isActive: false })).statusCode, 200)
  assert.equal((await delivery(waiting.id)).status, 'cancelled')
  gate.resolve()
  await eventually('both cancelled', async () => (await deliveries()).every(({ status }) => status === 'cancelled'))
  assert.equal((await world.patch(path, { isActive: true })).statusCode, 200)
  await world.advance(hours(40))
  assert.equal(receiver.received.length, 2)
})

test('a test is one attempt of webhook.test, outside the events', async (t) => {
  const { world, receiver, endpoint, path, when } = await hook(t, { events: ['transfer.failed'] })
  receiver.answer(500)
  const response = await world.post(`${path}/test`)
  assert.equal(response.statusCode, 202, response.body)
  assert.equal(response.json<{ data: Delivery }>().data.eventType, 'webhook.test')
  const failed = await when('failed', ({ status }) => status === 'failed')
  assert.equal(failed.attempts.length, 1)
  assert.deepEqual(receiver.received[0]!.event.data, { endpointId: endpoint.id })
  verify(receiver.received[0]!, endpoint.secret!)
  await world.advance(hours(40))
  assert.equal(receiver.received.length, 1)
  assert.deepEqual((await world.get('/v1/events')).json<{ data: { events: unknown[] } }>().data.events, [])
  assert.equal((await world.get(`/v1/events/${failed.eventId}`)).statusCode, 404)
  assert.equal((await world.get(`${path}/deliveries?eventType=webhook.test`)).statusCode, 400)
})

test('a test may send a sample of a catalogue type', async (t) => {
  const { world, receiver, path, when } = await hook(t)
  assert.equal((await world.post(`${path}/test`, { eventType: 'transfer.completed' })).statusCode, 202)
  await when('delivered', ({ status }) => status === 'delivered')
  assert.equal(receiver.received[0]!.event.type, 'transfer.completed')
  assert.equal(typeof receiver.received[0]!.event.data['reference'], 'string')
  assert.equal((await world.post(`${path}/test`, { eventType: 'payment.succeeded' })).statusCode, 400)
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
