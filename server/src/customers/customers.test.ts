import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ada,
  createCustomer,
  customerEvents,
  GOOD_BVN,
  readCustomer,
  refusedFields,
  type CustomerAnswer,
  type Refused,
} from '../../test/customers.ts'
import { createWorld } from '../../test/world.ts'
import type { Customer } from './schema.ts'

test('a created customer is answered whole, with null where nothing was given, and announced', async (t) => {
  const world = await createWorld(t)
  const customer = await createCustomer(world)
  const { id, createdAt, updatedAt, ...rest } = customer
  assert.match(id, /^[0-9a-f-]{36}$/)
  assert.equal(createdAt, updatedAt)
  assert.deepEqual(rest, {
    ...ada,
    phone: null,
    dateOfBirth: null,
    gender: null,
    identityType: null,
    identityNumber: null,
    identityVerified: false,
    identityVerifiedAt: null,
    address: null,
    metadata: null,
    isActive: true,
  })
  assert.deepEqual(await readCustomer(world, id), customer)
  assert.deepEqual(
    (await customerEvents(world)).map(({ type, data }) => ({ type, data })),
    [{ type: 'customer.created', data: customer }],
  )
})

test('every field of a customer is kept', async (t) => {
  const world = await createWorld(t)
  const given = {
    dateOfBirth: '1990-02-28',
    gender: 'female',
    identityType: 'PASSPORT',
    identityNumber: 'A12345678',
    metadata: { tier: 'gold', a: '1' },
  }
  const customer = await createCustomer(world, {
    ...given,
    phone: '+233244123456',
    address: { city: 'Accra', country: 'GH' },
  })
  assert.deepEqual(customer, {
    ...customer,
    ...given,
    identityNumber: '*****5678',
    identityVerified: false,
    phone: '+233244123456',
    address: { street: null, unit: null, city: 'Accra', state: null, postalCode: null, country: 'GH' },
  })
})

test('names and e-mail are required, and every fault is listed', async (t) => {
  const world = await createWorld(t)
  const response = await world.post('/v1/customers', { email: 'no address', gender: 'unknown', colour: 'red' })
  assert.equal(response.statusCode, 400)
  const params = response.json<Refused>().error.details!.map(({ param }) => param)
  assert.deepEqual(params.toSorted(), ['colour', 'email', 'firstName', 'gender', 'lastName'])
  assert.deepEqual(await refusedFields(world, { firstName: null }), ['firstName'])
  assert.deepEqual(await refusedFields(world, { bvn: GOOD_BVN }), ['bvn'])
  assert.deepEqual(await refusedFields(world, { isActive: false }), ['isActive'])
})

test('a birthday is a real date in the past', async (t) => {
  const world = await createWorld(t)
  for (const dateOfBirth of [
    '0000-01-01',
    '1990-02-30',
    '1990-2-3',
    '2990-01-01',
    '1990-01-01T00:00:00Z',
    '',
    19900101,
  ]) {
    assert.deepEqual(await refusedFields(world, { dateOfBirth }), ['dateOfBirth'], String(dateOfBirth))
  }
})

test('a phone number is kept as E.164; a national one is of the country of the address, or of Nigeria', async (t) => {
  const world = await createWorld(t)
  const phoneOf = async (email: string, more: object) => (await createCustomer(world, { email, ...more })).phone
  assert.equal(await phoneOf('1@x.ng', { phone: '0801 234 5678' }), '+2348012345678')
  assert.equal(await phoneOf('2@x.ng', { phone: '0244123456', address: { country: 'GH' } }), '+233244123456')
  assert.equal(await phoneOf('3@x.ng', { phone: '+254 712 345678', address: { country: 'GH' } }), '+254712345678')
  for (const phone of ['12345', 'call me', '+1', '+234801234567', '0801234567890123']) {
    assert.deepEqual(await refusedFields(world, { phone }), ['phone'], phone)
  }
  const { id } = await createCustomer(world, { email: '4@x.ng', address: { country: 'GH' } })
  const updated = (await world.put(`/v1/customers/${id}`, { phone: '0244123456' })).json<CustomerAnswer>().data
  assert.equal(updated.phone, '+233244123456')
  assert.equal((await world.put(`/v1/customers/${id}`, { phone: '1' })).statusCode, 400)
})

test('an e-mail address is one customer of the organization, in any case, and kept as written', async (t) => {
  const [world, other] = [await createWorld(t), await createWorld(t)]
  const { id } = await createCustomer(world)
  const taken = await world.post('/v1/customers', { ...ada, email: 'ADA.OBI@EXAMPLE.COM' })
  assert.equal(taken.statusCode, 409)
  assert.equal(taken.json<Refused>().error.code, 'email_taken')
  assert.equal((await createCustomer(other)).email, ada.email)
  await world.delete(`/v1/customers/${id}`)
  assert.equal((await world.post('/v1/customers', ada)).statusCode, 409, 'taken also after deactivation')
  const found = await world.get('/v1/customers/by-email?email=ada.obi%40EXAMPLE.com')
  assert.deepEqual([found.json<CustomerAnswer>().data.id, found.json<CustomerAnswer>().data.email], [id, ada.email])
  assert.equal((await world.get('/v1/customers/by-email?email=nobody@x.ng')).statusCode, 404)
  assert.equal((await world.get('/v1/customers/by-email')).statusCode, 400)
})

test('of 20 customers with one e-mail address created at once, one is created', async (t) => {
  const world = await createWorld(t)
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const email = Array.from(ada.email)
        .map((letter, at) => ((n >> (at % 5)) & 1 ? letter.toUpperCase() : letter))
        .join('')
      return (await world.post('/v1/customers', { ...ada, email })).statusCode
    }),
  )
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [201, ...Array.from({ length: 19 }, () => 409)],
  )
  assert.equal((await customerEvents(world)).length, 1)
})

test('an update changes only the fields given, and null clears', async (t) => {
  const world = await createWorld(t)
  const before = await createCustomer(world, { phone: '08012345678', gender: 'female', metadata: { a: '1' } })
  const path = `/v1/customers/${before.id}`
  const after = (await world.put(path, { lastName: 'Eze', gender: null, metadata: { b: '2' } })).json<CustomerAnswer>()
    .data
  assert.deepEqual(after, {
    ...before,
    lastName: 'Eze',
    gender: null,
    metadata: { b: '2' },
    updatedAt: after.updatedAt,
  })
  assert.equal((await world.put(path, { email: null })).statusCode, 400)
  assert.equal((await world.put(path, { isActive: null })).statusCode, 400)
  assert.equal((await world.put(path, { balance: 5 })).statusCode, 400)
  assert.equal((await world.put(path)).statusCode, 200)
  const [newest, ...older] = await customerEvents(world)
  assert.deepEqual(newest?.data, { ...after, changedFields: ['lastName', 'gender', 'metadata'] })
  assert.equal(older.length, 1, 'an update that changes nothing is not announced')
})

test('a new address of an existing customer is replaced as a whole', async (t) => {
  const world = await createWorld(t)
  const { id } = await createCustomer(world, { address: { street: '1 Marina', city: 'Lagos' } })
  const { address } = (await world.put(`/v1/customers/${id}`, { address: { city: 'Abuja' } })).json<CustomerAnswer>()
    .data
  assert.deepEqual(address, { street: null, unit: null, city: 'Abuja', state: null, postalCode: null, country: null })
  assert.equal((await world.put(`/v1/customers/${id}`, { address: null })).json<CustomerAnswer>().data.address, null)
})

test('a deactivated customer keeps its record; deactivating it twice is fine', async (t) => {
  const world = await createWorld(t)
  const { id } = await createCustomer(world)
  const first = await world.delete(`/v1/customers/${id}`)
  assert.deepEqual([first.statusCode, first.json<CustomerAnswer>().data.isActive], [200, false])
  const second = await world.delete(`/v1/customers/${id}`)
  assert.deepEqual([second.statusCode, second.body], [200, first.body])
  assert.deepEqual(
    (await customerEvents(world)).map(({ type, data }) => [type, data.changedFields]),
    [
      ['customer.updated', ['isActive']],
      ['customer.created', undefined],
    ],
  )
  assert.equal((await world.put(`/v1/customers/${id}`, { isActive: true })).json<CustomerAnswer>().data.isActive, true)
})

test('customers are listed newest first, and found by name, e-mail, phone and state', async (t) => {
  const world = await createWorld(t)
  const people = [
    { firstName: 'Ada', lastName: 'Obi', email: 'ada@x.ng', phone: '08012345678' },
    { firstName: 'Bola', lastName: 'Ade', email: 'bola_100%@x.ng' },
    { firstName: 'Chidi', lastName: 'Obi', email: 'chidi@y.ng' },
  ]
  for (const person of people) await createCustomer(world, person)
  const list = async (query: string) => {
    const response = await world.get(`/v1/customers?${query}`)
    assert.equal(response.statusCode, 200, response.body)
    return response.json<{ data: { customers: Customer[] } }>().data.customers.map(({ firstName }) => firstName)
  }
  assert.deepEqual(await list(''), ['Chidi', 'Bola', 'Ada'])
  assert.deepEqual(await list('search=OBI'), ['Chidi', 'Ada'])
  assert.deepEqual(await list('search=chidi%20obi'), ['Chidi'])
  assert.deepEqual(await list('search=@X.ng'), ['Bola', 'Ada'])
  assert.deepEqual(await list('search=%25'), ['Bola'])
  assert.deepEqual(await list('search=0801234'), ['Ada'])
  assert.deepEqual(await list('search=%2B234801'), ['Ada'])
  const [chidi] = (await world.get('/v1/customers?search=chidi')).json<{ data: { customers: Customer[] } }>().data
    .customers
  await world.delete(`/v1/customers/${chidi!.id}`)
  assert.deepEqual(await list('isActive=false'), ['Chidi'])
  assert.deepEqual(await list('isActive=true&search=obi'), ['Ada'])
  assert.equal((await world.get('/v1/customers?isActive=maybe')).statusCode, 400)
  assert.equal((await world.get('/v1/customers?colour=red')).statusCode, 400)
})

test("another organization's customer is not found", async (t) => {
  const [world, other] = [await createWorld(t), await createWorld(t)]
  const { id } = await createCustomer(world)
  for (const answer of [
    await other.get(`/v1/customers/${id}`),
    await other.put(`/v1/customers/${id}`, { firstName: 'Eve' }),
    await other.delete(`/v1/customers/${id}`),
    await other.get(`/v1/customers/by-email?email=${ada.email}`),
  ]) {
    assert.equal(answer.statusCode, 404)
  }
  assert.equal((await world.get('/v1/customers/17')).statusCode, 400)
})

test('a new customer was never updated: both instants are the same', async (t) => {
  const world = await createWorld(t)
  const { data } = (
    await world.post('/v1/customers', { firstName: 'Ada', lastName: 'Obi', email: 'ada@example.com' })
  ).json<{ data: { createdAt: string; updatedAt: string } }>()
  assert.equal(data.updatedAt, data.createdAt)
})
