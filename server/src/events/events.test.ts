import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, type World } from '../../test/world.ts'
import { statement } from '../db/sql.ts'
import { catalogue, eventTypes } from './catalogue.ts'

type Event = { id: string; type: string; createdAt: string; data: { id: string; reference: string } }
type Page = { events: Event[]; pagination: { total: number | null; nextCursor: string | null } }

async function convert(world: World, reference: string, description?: string): Promise<string> {
  const response = await world.post('/v1/transfers', {
    reference,
    sourceCurrency: 'NGN',
    targetCurrency: 'USD',
    sourceAmount: 1500,
    ...(description !== undefined && { description }),
  })
  assert.equal(response.statusCode, 201, response.body)
  return response.json<{ data: { id: string } }>().data.id
}

async function eventsOf(world: World, query = ''): Promise<Page> {
  const response = await world.get(`/v1/events${query}`)
  assert.equal(response.statusCode, 200, response.body)
  return response.json<{ data: Page }>().data
}

test('events are listed newest first, filtered, paged, and read one by one', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 10_000)
  for (const reference of ['a', 'b', 'c']) await convert(world, reference)
  const { events, pagination } = await eventsOf(world)
  assert.deepEqual(
    events.map(({ data }) => data.reference),
    ['c', 'b', 'a'],
  )
  assert.equal(pagination.total, 3)
  assert.deepEqual((await world.get(`/v1/events/${events[1]!.id}`)).json<{ data: Event }>().data, events[1])
  const first = await eventsOf(world, '?limit=2')
  const second = await eventsOf(world, `?limit=2&cursor=${first.pagination.nextCursor}`)
  assert.deepEqual(
    second.events.map(({ data }) => data.reference),
    ['a'],
  )
  assert.equal((await eventsOf(world, '?type=transfer.completed')).events.length, 3)
  assert.equal((await eventsOf(world, '?type=transfer.failed')).events.length, 0)
  assert.equal((await eventsOf(world, '?createdFrom=2100-01-01')).events.length, 0)
  assert.equal((await eventsOf(world, `?createdTo=2100-01-01&createdFrom=2026-01-01T00:00:00Z`)).events.length, 3)
  for (const query of ['?type=payment.succeeded', '?createdFrom=yesterday', '?cursor=x', '?status=x'])
    assert.equal((await world.get(`/v1/events${query}`)).statusCode, 400, query)
})

test('an event is the record it announces, in an envelope whose bytes are kept as they were made', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 1500)
  const description = 'Größe 尺寸 🎈 "quoted" \\ and \u2028'
  const id = await convert(world, 'r', description)
  const record = (await world.get(`/v1/transfers/${id}`)).json<{ data: object }>().data
  const [event] = (await eventsOf(world)).events
  assert.deepEqual(Object.keys(event!), ['id', 'type', 'createdAt', 'data'])
  assert.deepEqual(event!.data, record)
  const { payload } = await world.service.deps.db.one<{ payload: string }>(
    statement('select payload from events where organization_id = $1'),
    [world.organizationId],
  )
  assert.equal(payload, JSON.stringify(event))
})

test('an event of another organization, an unknown and a malformed id are a 404, a 404 and a 400', async (t) => {
  const [world, other] = [await createWorld(t), await createWorld(t)]
  await world.fund('NGN', 1500)
  await convert(world, 'r')
  const [event] = (await eventsOf(world)).events
  assert.equal((await other.get(`/v1/events/${event!.id}`)).statusCode, 404)
  assert.equal((await world.get('/v1/events/00000000-0000-7000-8000-000000000000')).statusCode, 404)
  assert.equal((await world.get('/v1/events/nonsense')).statusCode, 400)
  assert.deepEqual((await eventsOf(other)).events, [])
})

test('events are shown for 90 days', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 1500)
  await convert(world, 'r')
  const [event] = (await eventsOf(world)).events
  await world.advance(89 * 86_400)
  assert.equal((await eventsOf(world)).events.length, 1)
  await world.advance(2 * 86_400)
  assert.deepEqual((await eventsOf(world)).events, [])
  assert.equal((await world.get(`/v1/events/${event!.id}`)).statusCode, 404)
})

test('an event is written with one delivery for each endpoint that listens, in the commit of its cause', async (t) => {
  const world = await createWorld(t)
  const { deps } = world.service
  const listen = (events: readonly string[], isActive: boolean) =>
    deps.db.transaction(async (tx) => {
      await tx.many(
        statement(`insert into webhook_endpoints (organization_id, id, url, events, is_active, created_at, updated_at)
                   values ($1, $2, 'http://127.0.0.1:9', $3, $4, $5, $5)`),
        [world.organizationId, deps.newId(deps.now()), events, isActive, deps.now()],
      )
    })
  await listen(['*'], true)
  await listen(['transfer.completed'], true)
  await listen(['transfer.failed'], true)
  await listen(['*'], false)
  await world.fund('NGN', 1500)
  await convert(world, 'r')
  const { count } = await deps.db.one<{ count: number }>(
    statement(`select count(*)::integer as count from webhook_deliveries d join events e on e.id = d.event_id
                where d.organization_id = $1 and d.event_type = e.type`),
    [world.organizationId],
  )
  assert.equal(count, 2)
})

test('the catalogue names only types of the interface', () => {
  for (const type of eventTypes)
    assert.match(type, /^(payment|payout|transfer|customer|virtual_account)\.[a-z]+$/, type)
  for (const wrong of ['payment.succeeded', 'transaction.created', 'transaction.completed'])
    assert.equal(wrong in catalogue, false)
})
