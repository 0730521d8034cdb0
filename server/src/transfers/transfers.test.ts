import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, eventually, type World } from '../../test/world.ts'
import { statement } from '../db/sql.ts'
import { createTransfer } from './operations.ts'
import { setOrganizationActive } from '../organizations/operations.ts'

type Transfer = {
  id: string
  kind: string
  status: string
  direction: string
  reference: string
  failureReason: string | null
  sourceAmount: number
  targetAmount: number
  exchangeRate: number
  sourceOrganizationId: string
  destinationOrganizationId: string
  completedAt: string | null
}
type Event = { type: string; data: Transfer }
type Entry = { direction: string; amount: number; kind: string; reference: string; resourceId: string }

const unknownId = '0192f0c1-2b3c-7d4e-8f50-123456789abc'

function send(world: World, body: object, headers?: Record<string, string>) {
  return world.post('/v1/transfers', body, headers)
}

function recordOf(response: { statusCode: number; body: string; json<T>(): T }): Transfer {
  assert.equal(response.statusCode, 201, response.body)
  return response.json<{ data: Transfer }>().data
}

function codeOf(response: { json<T>(): T }): string {
  return response.json<{ error: { code: string } }>().error.code
}

async function eventsOf(world: World): Promise<string[]> {
  const { events } = (await world.get('/v1/events')).json<{ data: { events: Event[] } }>().data
  return events.map(({ type, data }) => `${type} ${data.id}`)
}

async function entriesOf(world: World, currency: string): Promise<Entry[]> {
  return (await world.get(`/v1/wallets/${currency}/entries`)).json<{ data: { entries: Entry[] } }>().data.entries
}

const convert = { reference: 'r1', sourceCurrency: 'NGN', targetCurrency: 'USD', sourceAmount: 15_000 }

test('a conversion between own wallets is completed in the answer, and announced', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 15_000)
  const transfer = recordOf(await send(world, { ...convert, description: 'to dollars' }))
  assert.deepEqual(
    [transfer.kind, transfer.status, transfer.direction, transfer.failureReason],
    ['conversion', 'completed', 'out', null],
  )
  assert.deepEqual(
    [transfer.sourceOrganizationId, transfer.destinationOrganizationId],
    [world.organizationId, world.organizationId],
  )
  // 15,000 NGN at 1 / 1500 less 1 %.
  assert.deepEqual([transfer.exchangeRate, transfer.targetAmount], [0.00066, 9.9])
  assert.ok(transfer.completedAt)
  assert.equal(await world.balance('NGN'), 0)
  assert.equal(await world.balance('USD'), 9.9)
  assert.deepEqual(await eventsOf(world), [`transfer.completed ${transfer.id}`])
  const [out, into] = [(await entriesOf(world, 'NGN'))[0]!, (await entriesOf(world, 'USD'))[0]!]
  assert.deepEqual([out.direction, out.amount, out.kind, out.reference], ['debit', 15_000, 'transfer_out', 'r1'])
  assert.deepEqual(
    [into.direction, into.amount, into.kind, into.resourceId],
    ['credit', 9.9, 'transfer_in', transfer.id],
  )
})

test('given the target, the source rounds up', async (t) => {
  const world = await createWorld(t)
  await world.fund('USD', 100)
  const { sourceAmount, targetAmount } = recordOf(
    await send(world, { reference: 'r', sourceCurrency: 'USD', targetCurrency: 'UGX', targetAmount: 1 }),
  )
  assert.deepEqual([sourceAmount, targetAmount], [0.01, 1])
})

test('a quote fixes the price, once, for 60 seconds, and for its own kind, currencies and amounts', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 100_000)
  const quote = async (kind = 'transfer') => {
    const { reference: _, ...wish } = convert
    const response = await world.post('/v1/quotes', { ...wish, kind })
    return response.json<{ data: { id: string } }>().data.id
  }
  const quoteId = await quote()
  assert.equal(recordOf(await send(world, { ...convert, quoteId })).targetAmount, 9.9)
  const refusals: [body: object, status: number, code: string][] = [
    [{ ...convert, reference: 'r2', quoteId }, 409, 'quote_used'],
    [{ ...convert, reference: 'r2', quoteId: unknownId }, 422, 'quote_not_found'],
    [{ ...convert, reference: 'r2', quoteId: await quote('payout') }, 422, 'quote_not_found'],
    [{ ...convert, reference: 'r2', sourceAmount: 15_001, quoteId: await quote() }, 422, 'quote_mismatch'],
    [{ ...convert, reference: 'r2', targetCurrency: 'GHS', quoteId: await quote() }, 422, 'quote_mismatch'],
  ]
  for (const [body, status, code] of refusals) {
    const response = await send(world, body)
    assert.deepEqual([response.statusCode, codeOf(response)], [status, code])
  }
  const late = await quote()
  await world.advance(60)
  const expired = await send(world, { ...convert, reference: 'r2', quoteId: late })
  assert.deepEqual([expired.statusCode, codeOf(expired)], [409, 'quote_expired'])
})

test('a quote of a refused transfer is not used up', async (t) => {
  const world = await createWorld(t)
  const { reference: _, ...wish } = convert
  const response = await world.post('/v1/quotes', { ...wish, kind: 'transfer' })
  const quoteId = response.json<{ data: { id: string } }>().data.id
  assert.equal(codeOf(await send(world, { ...convert, quoteId })), 'insufficient_funds')
  await world.fund('NGN', 15_000)
  recordOf(await send(world, { ...convert, quoteId }))
})

test('each refusal has its code and leaves no row behind', async (t) => {
  const [world, other] = [await createWorld(t), await createWorld(t)]
  await world.fund('NGN', 100)
  const to = { reference: 'x', sourceCurrency: 'NGN', sourceAmount: 1, destinationOrganizationId: other.organizationId }
  const cases: [body: object, status: number, code: string][] = [
    [{}, 400, 'invalid_request'],
    [{ ...convert, targetCurrency: 'NGN' }, 400, 'invalid_request'],
    [{ reference: 'x', sourceCurrency: 'NGN', sourceAmount: 1 }, 400, 'invalid_request'],
    [{ ...to, destinationOrganizationId: world.organizationId }, 400, 'invalid_request'],
    [{ ...to, destinationOrganizationId: 'nobody' }, 400, 'invalid_request'],
    [{ ...to, reference: 'has space' }, 400, 'invalid_request'],
    [{ ...to, reference: 'x'.repeat(101) }, 400, 'invalid_request'],
    [{ ...to, reference: null }, 400, 'invalid_request'],
    [{ ...to, sourceAmount: 0 }, 400, 'invalid_request'],
    [{ ...to, sourceAmount: -1 }, 400, 'invalid_request'],
    [{ ...to, sourceAmount: 0.1 + 0.2 }, 400, 'invalid_request'],
    [{ ...to, sourceAmount: '1e3' }, 400, 'invalid_request'],
    [{ ...to, sourceAmount: 1e-9 }, 400, 'invalid_request'],
    [{ ...to, sourceCurrency: 'XOF', sourceAmount: 1.5 }, 400, 'invalid_request'],
    [{ ...to, targetAmount: 1 }, 400, 'invalid_request'],
    [{ ...to, sourceCurrency: 'ngn' }, 400, 'invalid_request'],
    [{ ...to, status: 'completed' }, 400, 'invalid_request'],
    [{ ...to, destinationOrganizationId: unknownId }, 422, 'destination_not_found'],
    [{ ...to, sourceAmount: 100.01 }, 422, 'insufficient_funds'],
    [{ ...convert, sourceAmount: 0.01 }, 422, 'amount_too_small'],
    [
      { ...convert, sourceCurrency: 'USD', targetCurrency: 'NGN', sourceAmount: 90_071_992_547 },
      422,
      'amount_out_of_range',
    ],
  ]
  for (const [body, status, code] of cases) {
    const response = await send(world, body)
    assert.deepEqual([response.statusCode, codeOf(response)], [status, code], JSON.stringify(body))
  }
  const raw = JSON.stringify(to).replace('"sourceAmount":1', '"sourceAmount":1000.000000000000000001')
  assert.equal((await world.post('/v1/transfers', raw)).statusCode, 400)
  assert.equal(await world.balance('NGN'), 100)
  const { left } = await world.service.deps.db.one<{ left: number }>(
    statement(`select (select count(*) from transfers where organization_id = $1)::integer
                    + (select count(*) from status_history where organization_id = $1)::integer
                    + (select count(*) from events where organization_id = $1)::integer
                    + (select count(*) from ledger_lines where organization_id = $1)::integer - 1 as left`),
    [world.organizationId],
  )
  assert.equal(left, 0)
})

test('a reference is taken for ever, but not by a refused transfer, nor by what one receives', async (t) => {
  const [world, other] = [await createWorld(t), await createWorld(t)]
  const to = {
    reference: 'r',
    sourceCurrency: 'NGN',
    sourceAmount: 60,
    destinationOrganizationId: other.organizationId,
  }
  assert.equal(codeOf(await send(world, to)), 'insufficient_funds')
  await world.fund('NGN', 120)
  recordOf(await send(world, to))
  const again = await send(world, to)
  assert.deepEqual([again.statusCode, codeOf(again)], [409, 'reference_taken'])
  await eventually('it arrives', async () => (await other.balance('NGN')) === 60)
  recordOf(await send(other, { ...to, destinationOrganizationId: world.organizationId }))
  await eventually('it comes back', async () => (await world.balance('NGN')) === 120)
})

test('a transfer to another organization leaves at once, arrives by itself, and both are told', async (t) => {
  const [sender, receiver] = [await createWorld(t), await createWorld(t)]
  await sender.fund('NGN', 20_000)
  const to = { ...convert, destinationOrganizationId: receiver.organizationId }
  const { id, status, completedAt } = recordOf(await send(sender, to))
  assert.deepEqual([status, completedAt], ['pending', null])
  assert.equal(await sender.balance('NGN'), 5_000)
  await eventually('the receiver has it', async () => (await receiver.balance('USD')) === 9.9)
  const [sent, received] = await Promise.all(
    [sender, receiver].map(async (world) => (await world.get(`/v1/transfers/${id}`)).json<{ data: Transfer }>().data),
  )
  assert.deepEqual([sent?.status, sent?.direction, sent?.kind], ['completed', 'out', 'organization'])
  assert.deepEqual(received, { ...sent, direction: 'in' })
  assert.deepEqual(await eventsOf(sender), [`transfer.completed ${id}`])
  assert.deepEqual(await eventsOf(receiver), [`transfer.completed ${id}`])
  assert.equal((await entriesOf(receiver, 'USD'))[0]?.kind, 'transfer_in')
  // Conversion takes place in the sender's books: the receiver has no naira to show for it.
  assert.deepEqual(await entriesOf(receiver, 'NGN'), [])
})

test('what cannot enter comes back as it left, and only the sender is told', async (t) => {
  const [sender, receiver] = [await createWorld(t), await createWorld(t)]
  const { deps } = sender.service
  await sender.fund('NGN', 15_000)
  // Closed in the moment between departure and arrival: both in one commit, as the worker will find them.
  const id = await deps.db.transaction(async (tx) => {
    const response = await createTransfer(
      { ...deps, db: tx },
      sender.organizationId,
      { type: 'key', id: unknownId, scopes: ['*'], madeBy: null, ip: '127.0.0.1' },
      { ...convert, sourceCurrency: 'NGN', targetCurrency: 'USD', destinationOrganizationId: receiver.organizationId },
    )
    await setOrganizationActive({ ...deps, db: tx }, receiver.organizationId, false)
    return response.id
  })
  await eventually('it is back', async () => (await sender.balance('NGN')) === 15_000)
  const { data } = (await sender.get(`/v1/transfers/${id}`)).json<{ data: Transfer }>()
  assert.deepEqual([data.status, data.failureReason, data.completedAt], ['failed', 'destination_closed', null])
  assert.deepEqual(await eventsOf(sender), [`transfer.failed ${id}`])
  await setOrganizationActive(deps, receiver.organizationId, true)
  assert.equal((await receiver.get(`/v1/transfers/${id}`)).statusCode, 404)
  assert.deepEqual(await eventsOf(receiver), [])
  const closed = await (async () => {
    await setOrganizationActive(deps, receiver.organizationId, false)
    return send(sender, { ...convert, reference: 'r2', destinationOrganizationId: receiver.organizationId })
  })()
  assert.equal(codeOf(closed), 'destination_not_found')
})

test('transfers are listed newest first and filtered; another organization reads none of them', async (t) => {
  const [world, other] = [await createWorld(t), await createWorld(t)]
  await world.fund('NGN', 45_000)
  for (const reference of ['a', 'b', 'c']) recordOf(await send(world, { ...convert, reference }))
  const list = async (query: string, of = world) =>
    (await of.get(`/v1/transfers${query}`)).json<{ data: { transfers: Transfer[] } }>().data.transfers
  assert.deepEqual(
    (await list('')).map(({ reference }) => reference),
    ['c', 'b', 'a'],
  )
  assert.deepEqual(
    (await list('?reference=b')).map(({ reference }) => reference),
    ['b'],
  )
  assert.deepEqual(await list('?status=pending'), [])
  assert.deepEqual(await list('', other), [])
  const [{ id } = { id: '' }] = await list('')
  assert.equal((await other.get(`/v1/transfers/${id}`)).statusCode, 404)
  assert.equal((await world.get('/v1/transfers/nonsense')).statusCode, 400)
})

test('the same key twice is one transfer and the same answer; a refusal replays too', async (t) => {
  const world = await createWorld(t)
  const poor = { 'idempotency-key': 'poor' }
  const refused = await send(world, convert, poor)
  assert.equal(codeOf(refused), 'insufficient_funds')
  await world.fund('NGN', 30_000)
  const refusedAgain = await send(world, convert, poor)
  assert.deepEqual([refusedAgain.statusCode, refusedAgain.body], [422, refused.body])
  const rich = { 'idempotency-key': 'rich' }
  const first = await send(world, convert, rich)
  const again = await send(world, convert, rich)
  assert.equal(again.body, first.body)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal(codeOf(await send(world, { ...convert, reference: 'other' }, rich)), 'idempotency_key_reused')
  assert.equal(await world.balance('NGN'), 15_000)
})
