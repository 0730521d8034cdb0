import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { askFor, command, paymentIn, type Payment } from '../../test/payments.ts'
import { createWorld, type World } from '../../test/world.ts'

type Fault = { error: { code: string; details?: { param: string }[] } }
type Page = {
  payments: Payment[]
  pagination: { total: number | null; pages: number | null; nextCursor: string | null }
}

const basic = { reference: 'r', sourceCurrency: 'NGN', sourceAmount: 100 }

async function list(world: World, query: string): Promise<Page> {
  const response = await world.get(`/v1/payments?${query}`)
  assert.equal(response.statusCode, 200, response.body)
  return response.json<{ data: Page }>().data
}

test('what a payment cannot be is refused, each field by its name', async (t) => {
  const world = await createWorld(t)
  const cases: [object, string][] = [
    [{ ...basic, sourceAmount: 0 }, 'sourceAmount'],
    [{ ...basic, sourceAmount: 1.001 }, 'sourceAmount'],
    [{ ...basic, sourceAmount: '5' }, 'sourceAmount'],
    [{ ...basic, targetAmount: 5 }, 'targetAmount'],
    [{ ...basic, sourceCurrency: 'ngn' }, 'sourceCurrency'],
    [{ ...basic, reference: 'a b' }, 'reference'],
    [{ ...basic, reference: null }, 'reference'],
    [{ ...basic, expiresIn: 299 }, 'expiresIn'],
    [{ ...basic, expiresIn: 2_592_001 }, 'expiresIn'],
    [{ ...basic, expiresIn: 600, linkExpiresIn: 601 }, 'linkExpiresIn'],
    [{ ...basic, targetCurrency: 'USD', expiresIn: 86_401 }, 'expiresIn'],
    [{ ...basic, redirectUrl: 'javascript:alert(1)' }, 'redirectUrl'],
    [{ ...basic, redirectUrl: 'https://user:secret@shop.example/' }, 'redirectUrl'],
    [{ ...basic, redirectUrl: '/done' }, 'redirectUrl'],
    [{ ...basic, metadata: { a: 1 } }, 'metadata.a'],
    [{ ...basic, status: 'settled' }, 'status'],
    [{ ...basic, customerId: 'x' }, 'customerId'],
  ]
  for (const [body, param] of cases) {
    const response = await world.post('/v1/payments', body)
    assert.equal(response.statusCode, 400, `${param}: ${response.body}`)
    const { details } = response.json<Fault>().error
    assert.ok(
      details?.some((fault) => fault.param === param),
      `${param}: ${response.body}`,
    )
  }
})

test('the two clocks have their defaults, and a link never outlives its payment', async (t) => {
  const world = await createWorld(t)
  const lives = async (more: object) => {
    const { createdAt, expiresAt, linkExpiresAt } = await askFor(world, more)
    return [expiresAt, linkExpiresAt].map((at) => (Date.parse(at) - Date.parse(createdAt)) / 1000)
  }
  assert.deepEqual(await lives({}), [259_200, 86_400])
  assert.deepEqual(await lives({ targetCurrency: 'USD' }), [86_400, 86_400])
  assert.deepEqual(await lives({ expiresIn: 600 }), [600, 600])
  assert.deepEqual(await lives({ expiresIn: 2_592_000, linkExpiresIn: 2_592_000 }), [2_592_000, 2_592_000])
})

test('a reference is used once, and a refused request does not use it up', async (t) => {
  const world = await createWorld(t)
  assert.equal((await world.post('/v1/payments', { ...basic, customerId: randomUUID() })).statusCode, 422)
  assert.equal((await world.post('/v1/payments', basic)).statusCode, 201)
  const again = await world.post('/v1/payments', basic)
  assert.equal(again.statusCode, 409)
  assert.equal(again.json<Fault>().error.code, 'reference_taken')
})

test('a customer must be there and active', async (t) => {
  const world = await createWorld(t)
  const created = await world.post('/v1/customers', { firstName: 'A', lastName: 'B', email: 'a@b.example' })
  const { id } = created.json<{ data: { id: string } }>().data
  assert.equal((await askFor(world, { customerId: id })).customerId, id)
  await world.delete(`/v1/customers/${id}`)
  const codeFor = async (customerId: string) =>
    (await world.post('/v1/payments', { ...basic, customerId })).json<Fault>().error.code
  assert.equal(await codeFor(id), 'customer_inactive')
  assert.equal(await codeFor(randomUUID()), 'customer_not_found')
})

test('given the target, the source follows from the rate; a quote fixes both', async (t) => {
  const world = await createWorld(t)
  const wish = { sourceCurrency: 'USD', targetCurrency: 'NGN', targetAmount: 10_000 }
  const payment = await askFor(world, { ...wish, sourceAmount: undefined })
  assert.equal(payment.targetAmount, 10_000)
  assert.ok(payment.sourceAmount * payment.exchangeRate >= 10_000)
  const quote = (await world.post('/v1/quotes', { kind: 'payment', ...wish })).json<{ data: { id: string } }>().data
  const quoted = await askFor(world, { ...wish, sourceAmount: undefined, quoteId: quote.id })
  assert.equal(quoted.targetAmount, 10_000)
  const reused = await world.post('/v1/payments', { reference: 'again', ...wish, quoteId: quote.id })
  assert.equal(reused.json<Fault>().error.code, 'quote_used')
})

test('payment methods are listed for a source currency, and are no id', async (t) => {
  const world = await createWorld(t)
  const response = await world.get('/v1/payments/payment-methods?sourceCurrency=GHS')
  const methods = response.json<{ data: Record<string, unknown>[] }>().data
  assert.deepEqual(
    methods.map(({ type }) => type),
    ['bank_transfer', 'pay_by_bank', 'mobile_money', 'card'],
  )
  assert.deepEqual(Object.keys(methods[0]!), [
    'id',
    'type',
    'name',
    'currency',
    'country',
    'minAmount',
    'maxAmount',
    'isActive',
  ])
  assert.equal((await world.get('/v1/payments/payment-methods')).statusCode, 400)
  assert.equal((await world.get('/v1/payments/payment-methods?sourceCurrency=XXX')).statusCode, 400)
})

test('the list is filtered, paged by number and by cursor, and newest first', async (t) => {
  const world = await createWorld(t)
  const made = []
  for (let count = 0; count < 5; count += 1) made.push(await askFor(world, { reference: `n-${count}` }))
  const dollars = await askFor(world, { sourceCurrency: 'USD' })
  const cancelled = await paymentIn(world, 'cancelled')
  const ids = async (query: string) => (await list(world, query)).payments.map(({ id }) => id)
  const all = [...made, dollars, cancelled].map(({ id }) => id).toReversed()
  assert.deepEqual(await ids(''), all)
  assert.deepEqual(await ids('status=cancelled'), [cancelled.id])
  assert.deepEqual(await ids('status=cancelled,settled'), [cancelled.id])
  assert.deepEqual(await ids('reference=n-3'), [made[3]!.id])
  assert.deepEqual(await ids('sourceCurrency=USD'), [dollars.id])
  assert.deepEqual(await ids(`customerId=${randomUUID()}`), [])
  assert.deepEqual(await ids(`createdTo=${made[0]!.createdAt}`), [])
  const first = await list(world, 'limit=3')
  assert.equal(first.pagination.total, 7)
  const second = await list(world, `limit=4&cursor=${first.pagination.nextCursor}`)
  assert.deepEqual(
    [...first.payments, ...second.payments].map(({ id }) => id),
    all,
  )
  assert.deepEqual([second.pagination.total, second.pagination.nextCursor], [null, null])
  for (const wrong of ['status=paid', 'status=created,', 'limit=0', 'customerId=x', 'unknown=1']) {
    assert.equal((await world.get(`/v1/payments?${wrong}`)).statusCode, 400, wrong)
  }
})

test('several statuses are one list: counted, paged and filtered like any other', async (t) => {
  const world = await createWorld(t)
  const statuses = ['created', 'cancelled', 'executed'] as const
  const made: Payment[] = []
  for (let count = 0; count < 9; count += 1) made.push(await paymentIn(world, statuses[count % 3]!))
  const dollars = await paymentIn(world, 'cancelled', { sourceCurrency: 'USD' })
  const wanted = [...made.filter((_, index) => index % 3 !== 2), dollars].map(({ id }) => id).toReversed()
  const filter = 'status=created,cancelled,created&limit=3'
  const [first, second] = [await list(world, filter), await list(world, `${filter}&page=2`)]
  assert.deepEqual([first.pagination.total, first.pagination.pages], [7, 3])
  const rest = await list(world, `${filter}&cursor=${second.pagination.nextCursor}`)
  assert.deepEqual(
    [...first.payments, ...second.payments, ...rest.payments].map(({ id }) => id),
    wanted,
  )
  assert.equal(rest.pagination.nextCursor, null)
  const inDollars = await list(world, `${filter}&sourceCurrency=USD&createdFrom=${made[0]!.createdAt}`)
  assert.deepEqual([inDollars.payments.map(({ id }) => id), inDollars.pagination.total], [[dollars.id], 1])
})

test("another organization's payment is not found, whatever is asked of it", async (t) => {
  const [world, other] = [await createWorld(t), await createWorld(t)]
  const { id } = await askFor(world)
  assert.equal((await other.get(`/v1/payments/${id}`)).statusCode, 404)
  for (const path of [
    `/v1/payments/${id}/cancel`,
    `/v1/payments/${id}/refresh-link`,
    `/v1/sandbox/payments/${id}/execute`,
  ]) {
    assert.equal((await other.post(path)).statusCode, 404, path)
  }
  assert.equal((await world.get('/v1/payments/nonsense')).statusCode, 400)
  assert.equal((await world.post(`/v1/sandbox/payments/${id}/explode`)).statusCode, 404)
})

test('a fee that takes the whole sum leaves nothing, and says so', async (t) => {
  const world = await createWorld(t)
  const payment = await askFor(world, { sourceCurrency: 'XOF', sourceAmount: 1 })
  assert.deepEqual([payment.feeAmount, payment.netAmount], [1, 0])
  const whole = await askFor(world, { sourceCurrency: 'XOF', sourceAmount: 2 })
  await command(world, whole, 'execute')
  await world.advance(6)
  assert.equal(await world.balance('XOF'), 1)
})
