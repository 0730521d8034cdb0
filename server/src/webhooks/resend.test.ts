import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Value } from 'typebox/value'
import { verify } from '../../test/receiver.ts'
import { announce, hook, hours, type Delivery } from '../../test/webhooks.ts'
import { eventually } from '../../test/world.ts'
import { catalogue, eventTypes } from '../events/catalogue.ts'

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

test('a sample says what an event of its type says', async (t) => {
  const { world, receiver, path } = await hook(t)
  for (const [index, eventType] of eventTypes.entries()) {
    assert.equal((await world.post(`${path}/test`, { eventType })).statusCode, 202)
    await eventually('it arrives', () => receiver.received.length === index + 1)
    const { type, data } = receiver.received[index]!.event
    assert.equal(type, eventType)
    assert.deepEqual([...Value.Errors(catalogue[eventType].schema, data)], [], eventType)
    const [noun, ending] = eventType.split('.')
    if (noun === 'payout' || noun === 'payment' || noun === 'transfer') {
      assert.equal(data['status'], eventType === 'payout.created' ? 'pending' : ending)
      assert.equal('previousStatus' in data, noun !== 'transfer' && ending !== 'created')
      assert.equal((data['failureReason'] ?? null) === null, ending !== 'failed')
    }
    if (noun === 'virtual_account')
      assert.equal(data['grossAmount'], Number(data['feeAmount']) + Number(data['netAmount']))
  }
})
