import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, type World } from '../../test/world.ts'
import { statement } from './sql.ts'

type Page = {
  data: {
    events: { id: string; createdAt: string }[]
    pagination: {
      page: number | null
      pages: number | null
      total: number | null
      limit: number
      nextCursor: string | null
    }
  }
}

/** Writes events straight into the table: a list of ten thousand has to come from somewhere. */
async function eventsOf({ service: { deps }, organizationId }: World, count: number): Promise<void> {
  const at = deps.now()
  const text = `
    insert into events (organization_id, id, type, payload, created_at)
    select $1, id, 'transfer.completed', jsonb_build_object('id', id, 'type', 'transfer.completed', 'createdAt', $3::text, 'data', '{}'::jsonb)::text, $3::timestamptz
      from unnest($2::uuid[]) id`
  const ids = Array.from({ length: count }, () => deps.newId(at))
  await deps.db.transaction((tx) => tx.many(statement(text), [organizationId, ids, at.toISOString()]))
}

async function page(world: World, query: string): Promise<Page['data']> {
  const answer = await world.get(`/v1/events?${query}`)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json<Page>().data
}

async function fault(world: World, query: string): Promise<{ param: string; message: string }> {
  const answer = await world.get(`/v1/events?${query}`)
  assert.equal(answer.statusCode, 400, answer.body)
  return answer.json<{ error: { details: { param: string; message: string }[] } }>().error.details[0]!
}

test('a page by number counts, by cursor does not, and both see every row once, newest first', async (t) => {
  const world = await createWorld(t)
  await eventsOf(world, 45)
  const first = await page(world, '')
  const { nextCursor, ...counted } = first.pagination
  assert.deepEqual(counted, { page: 1, pages: 3, total: 45, limit: 20 })
  const numbered = [first, await page(world, 'page=2'), await page(world, 'page=3')]
  assert.equal(numbered[2]!.pagination.nextCursor, null)

  const byCursor = [first.events]
  for (let cursor = nextCursor; cursor !== null;) {
    const next = await page(world, `cursor=${cursor}`)
    const { nextCursor: after, ...rest } = next.pagination
    assert.deepEqual(rest, { page: null, pages: null, total: null, limit: 20 })
    byCursor.push(next.events)
    cursor = after
  }
  const ids = byCursor.flat().map(({ id }) => id)
  assert.equal(new Set(ids).size, 45)
  assert.deepEqual(ids, ids.toSorted().toReversed())
  assert.deepEqual(
    numbered.flatMap(({ events }) => events.map(({ id }) => id)),
    ids,
  )
})

test('rows that arrive while someone pages by cursor move nothing', async (t) => {
  const world = await createWorld(t)
  await eventsOf(world, 10)
  const first = await page(world, 'limit=5')
  await eventsOf(world, 10)
  const second = await page(world, `limit=5&cursor=${first.pagination.nextCursor}`)
  assert.equal(second.pagination.nextCursor, null)
  assert.equal(new Set([...first.events, ...second.events].map(({ id }) => id)).size, 10)
})

test('an empty list has one empty page', async (t) => {
  const world = await createWorld(t)
  const { events, pagination } = await page(world, '')
  assert.deepEqual(events, [])
  assert.deepEqual(pagination, { page: 1, pages: 0, total: 0, limit: 20, nextCursor: null })
})

test('a page past the end is empty', async (t) => {
  const world = await createWorld(t)
  await eventsOf(world, 3)
  const { events, pagination } = await page(world, 'page=9&limit=2')
  assert.deepEqual(events, [])
  assert.deepEqual(pagination, { page: 9, pages: 2, total: 3, limit: 2, nextCursor: null })
})

test('the limit is 1 to 100', async (t) => {
  const world = await createWorld(t)
  await eventsOf(world, 120)
  assert.equal((await page(world, 'limit=100')).events.length, 100)
  assert.equal((await page(world, 'limit=1')).events.length, 1)
  for (const limit of ['0', '101', '-1', '1.5', 'ten', ''])
    assert.equal((await fault(world, `limit=${limit}`)).param, 'limit')
})

test('totals count up to ten thousand rows; deeper pages go by cursor', async (t) => {
  const world = await createWorld(t)
  await eventsOf(world, 10_000)
  const full = await page(world, 'limit=100&page=100')
  assert.deepEqual([full.pagination.total, full.pagination.pages, full.events.length], [10_000, 100, 100])
  await eventsOf(world, 1)
  const { pagination } = await page(world, 'limit=100&page=100')
  assert.deepEqual([pagination.total, pagination.pages], [null, null])
  assert(pagination.nextCursor)
  assert.equal((await page(world, `limit=100&cursor=${pagination.nextCursor}`)).events.length, 1)
  const deep = await fault(world, 'limit=100&page=101')
  assert.equal(deep.param, 'page')
  assert.match(deep.message, /cursor/)
})

test('a page number and a cursor cannot be given together, and neither can be made up', async (t) => {
  const world = await createWorld(t)
  await eventsOf(world, 30)
  const { nextCursor } = (await page(world, '')).pagination
  assert.equal((await fault(world, `page=2&cursor=${nextCursor}`)).param, 'cursor')
  for (const cursor of ['x', '!!', Buffer.from('1; drop table events').toString('base64url'), 'x'.repeat(501)])
    assert.equal((await fault(world, `cursor=${encodeURIComponent(cursor)}`)).param, 'cursor', cursor)
  for (const number of ['0', '-1', '1.5', 'last', '9999999999999999999999'])
    assert.equal((await fault(world, `page=${number}`)).param, 'page', number)
})

test('createdFrom is inclusive and createdTo exclusive, as dates or instants', async (t) => {
  const world = await createWorld(t)
  await eventsOf(world, 1)
  const { createdAt } = (await page(world, '')).events[0]!
  const at = encodeURIComponent(createdAt)
  const day = createdAt.slice(0, 10)
  assert.equal((await page(world, `createdFrom=${at}`)).events.length, 1)
  assert.equal((await page(world, `createdTo=${at}`)).events.length, 0)
  assert.equal((await page(world, `createdFrom=${day}`)).events.length, 1)
  assert.equal((await page(world, `createdTo=${day}`)).events.length, 0)
  assert.equal((await page(world, 'createdFrom=0001-01-01')).events.length, 1)
  assert.equal((await page(world, 'createdTo=1969-12-31T23:59:59Z')).events.length, 0)
  assert.equal((await page(world, 'createdTo=9999-12-31')).events.length, 1)
  for (const wrong of ['2026-02-30', 'yesterday', '2026-01-01T00:00:00', '2026-13-01'])
    assert.equal((await fault(world, `createdFrom=${wrong}`)).param, 'createdFrom', wrong)
})
