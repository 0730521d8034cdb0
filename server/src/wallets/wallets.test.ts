import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createService } from '../../test/service.ts'
import { createWorld, type World } from '../../test/world.ts'
import { post } from '../ledger/post.ts'
import { minor } from '../money/money.ts'

type Wallet = {
  id: string
  currency: string
  balance: number
  isActive: boolean
  accountNumber: null
  createdAt: string
}
type Entry = { id: string; direction: string; amount: number; balanceAfter: number; kind: string; resourceType: string }
type Page = {
  entries: Entry[]
  pagination: {
    page: number | null
    pages: number | null
    total: number | null
    limit: number
    nextCursor: string | null
  }
}

async function entriesOf(world: World, query = ''): Promise<Page> {
  const response = await world.get(`/v1/wallets/NGN/entries${query}`)
  assert.equal(response.statusCode, 200, response.body)
  return response.json<{ data: Page }>().data
}

test('an organization has a wallet in each currency from the start, at zero', async (t) => {
  const world = await createWorld(t)
  const { data } = (await world.get('/v1/wallets')).json<{ data: Wallet[] }>()
  assert.deepEqual(
    data.map(({ currency }) => currency),
    ['NGN', 'GHS', 'KES', 'UGX', 'TZS', 'RWF', 'ZMW', 'ZAR', 'XOF', 'XAF', 'USD', 'GBP', 'EUR'],
  )
  const { id, createdAt, ...rest } = data[0]!
  assert.match(id, /^[0-9a-f-]{36}$/)
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual(rest, {
    currency: 'NGN',
    balance: 0,
    pendingBalance: 0,
    heldBalance: 0,
    isActive: true,
    accountNumber: null,
    accountName: null,
    bankName: null,
  })
})

test('a wallet is found by its currency in any case; an unsupported one is a 404', async (t) => {
  const world = await createWorld(t)
  assert.equal((await world.get('/v1/wallets/ngn')).json<{ data: Wallet }>().data.currency, 'NGN')
  for (const path of ['/v1/wallets/JPY', '/v1/wallets/xx', '/v1/wallets/JPY/entries'])
    assert.equal((await world.get(path)).statusCode, 404, path)
})

test('a currency this deployment does not have is a 404, its statement too', async (t) => {
  const service = await createService({ env: { KOLO_CURRENCIES: 'NGN,USD' } })
  const world = await createWorld(t, service)
  assert.equal((await world.get('/v1/wallets')).json<{ data: Wallet[] }>().data.length, 2)
  for (const path of ['/v1/wallets/GHS', '/v1/wallets/GHS/entries'])
    assert.equal((await world.get(path)).statusCode, 404, path)
  assert.equal((await world.post('/v1/sandbox/wallets/GHS/fund', { amount: 1 })).statusCode, 404)
})

test('play money goes straight to available: one entry, no fee, no event', async (t) => {
  const world = await createWorld(t)
  const response = await world.post('/v1/sandbox/wallets/ngn/fund', { amount: 1234.5 })
  assert.equal(response.statusCode, 202, response.body)
  assert.equal(await world.balance('NGN'), 1234.5)
  const { entries, pagination } = await entriesOf(world)
  assert.equal(entries.length, 1)
  const { id: _, ...entry } = entries[0]!
  assert.deepEqual(entry, {
    direction: 'credit',
    amount: 1234.5,
    balanceAfter: 1234.5,
    kind: 'sandbox_funding',
    resourceType: 'sandbox_funding',
    resourceId: response.json<{ data: { id: string } }>().data.id,
    reference: null,
    description: null,
    createdAt: (entry as unknown as { createdAt: string }).createdAt,
  })
  assert.deepEqual(pagination, { page: 1, pages: 1, total: 1, limit: 20, nextCursor: null })
  assert.deepEqual((await world.get('/v1/events')).json<{ data: { events: unknown[] } }>().data.events, [])
})

test('an amount that is none is refused and leaves no line behind', async (t) => {
  const world = await createWorld(t)
  const bodies = ['{"amount":0}', '{"amount":-1}', '{"amount":"1"}', '{"amount":0.001}', '{"amount":1e-9}', '{}']
  const exact = ['{"amount":1000.000000000000000001}', '{"amount":9007199254740993}', '{"amount":90071992547.41}']
  for (const body of [...bodies, ...exact, '{"amount":null}', '{"amount":1,"fee":1}', '[]', 'x'])
    assert.equal((await world.post('/v1/sandbox/wallets/NGN/fund', body)).statusCode, 400, body)
  assert.equal((await world.post('/v1/sandbox/wallets/UGX/fund', { amount: 1.5 })).statusCode, 400)
  assert.equal((await entriesOf(world)).pagination.total, 0)
})

test('the statement pages by number and by cursor, newest first, without a gap or a repeat', async (t) => {
  const world = await createWorld(t)
  for (let amount = 1; amount <= 25; amount += 1) await world.fund('NGN', amount)
  const first = await entriesOf(world, '?limit=10')
  assert.deepEqual(
    first.entries.map(({ amount }) => amount),
    [25, 24, 23, 22, 21, 20, 19, 18, 17, 16],
  )
  assert.deepEqual(
    { ...first.pagination, nextCursor: typeof first.pagination.nextCursor },
    { page: 1, pages: 3, total: 25, limit: 10, nextCursor: 'string' },
  )
  assert.equal(first.entries[0]?.balanceAfter, 325)
  // What comes in between does not move the pages of a cursor.
  await world.fund('NGN', 99)
  const second = await entriesOf(world, `?limit=10&cursor=${first.pagination.nextCursor}`)
  const third = await entriesOf(world, `?limit=10&cursor=${second.pagination.nextCursor}`)
  assert.deepEqual(
    [...second.entries, ...third.entries].map(({ amount }) => amount),
    [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
  )
  assert.deepEqual(third.pagination, { page: null, pages: null, total: null, limit: 10, nextCursor: null })
  assert.deepEqual((await entriesOf(world, '?limit=10&page=3')).entries.length, 6)
  assert.deepEqual((await entriesOf(world, '?limit=10&page=4')).entries, [])
  for (const query of ['?limit=0', '?limit=101', '?page=0', '?cursor=x', '?page=1&cursor=x', '?page=501', '?kind=x'])
    assert.equal((await world.get(`/v1/wallets/NGN/entries${query}`)).statusCode, 400, query)
})

test('past 10,000 entries totals are null and deeper pages go by cursor', async (t) => {
  const world = await createWorld(t)
  const { organizationId, service } = world
  const at = service.deps.now()
  await service.deps.db.transaction((tx) =>
    post(
      tx,
      Array.from({ length: 10_001 }, (_, index) => ({
        organizationId,
        key: `test:${index}`,
        resourceType: 'sandbox_funding',
        resourceId: service.deps.newId(at),
        at,
        lines: [
          { currency: 'NGN', debit: 'outside', credit: 'available', amount: minor(1n), kind: 'sandbox_funding' },
        ] as const,
      })),
    ),
  )
  const { pagination } = await entriesOf(world, '?limit=100')
  assert.deepEqual([pagination.pages, pagination.total], [null, null])
  assert.equal((await entriesOf(world, '?limit=100&page=100')).entries.length, 100)
  assert.equal((await world.get('/v1/wallets/NGN/entries?limit=100&page=101')).statusCode, 400)
  const cursor = (await entriesOf(world, '?limit=100&page=100')).pagination.nextCursor
  const last = await entriesOf(world, `?limit=100&cursor=${cursor}`)
  assert.deepEqual([last.entries.length, last.entries[0]?.balanceAfter, last.pagination.nextCursor], [1, 0.01, null])
})

test('one organization sees nothing of another', async (t) => {
  const [one, other] = [await createWorld(t), await createWorld(t)]
  await one.fund('NGN', 10)
  assert.equal(await other.balance('NGN'), 0)
  assert.deepEqual((await entriesOf(other)).entries, [])
})
