import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refused } from '../../test/refusals.ts'
import { createWorld } from '../../test/world.ts'

const transfer = { reference: 'r', sourceCurrency: 'NGN', targetCurrency: 'USD', sourceAmount: 1_500 }
const noId = '01900000-0000-7000-8000-000000000000'

test('every fault of a body is listed, the first one beside it', async (t) => {
  const world = await createWorld(t)
  const body = { reference: 'bad reference!', targetCurrency: 7, sourceAmount: '10', balance: 5, description: '' }
  const error = refused(await world.post('/v1/transfers', body), 400, 'invalid_request')
  assert.equal(error.type, 'invalid_request')
  const params = error.details!.map(({ param }) => param).toSorted()
  assert.deepEqual(params, ['balance', 'description', 'reference', 'sourceAmount', 'sourceCurrency', 'targetCurrency'])
  assert.equal(error.param, error.details![0]!.param)
})

test('faults of path, query and body are one list', async (t) => {
  const world = await createWorld(t)
  const path = '/v1/customers/no-id?unknown=1'
  const error = refused(await world.put(path, { email: 7, balance: 5 }), 400, 'invalid_request')
  assert.deepEqual(error.details, [
    { param: 'id', message: 'must be a UUID' },
    { param: 'unknown', message: 'is not a known field here' },
    { param: 'balance', message: 'is not a known field here' },
    { param: 'email', message: 'must be an e-mail address' },
  ])
  const unasked = refused(await world.post('/v1/payments/no-id/cancel?x=1', { y: 1 }), 400, 'invalid_request')
  assert.deepEqual(unasked.details!.map(({ param }) => param).toSorted(), ['id', 'x', 'y'])
})

test('a value that cannot be kept as it was sent stands in one list with the other faults', async (t) => {
  const world = await createWorld(t)
  const text = '{"sourceAmount":1000.000000000000000001,"description":"\\u0000","sourceCurrency":"XXX"}'
  const answer = await world.post('/v1/payments?a=1', text, { 'content-type': 'application/json' })
  const { details } = refused(answer, 400, 'invalid_request')
  assert.deepEqual(details!.map(({ param }) => param).toSorted(), [
    'a',
    'description',
    'reference',
    'sourceAmount',
    'sourceCurrency',
  ])
  assert.match(details!.find(({ param }) => param === 'sourceAmount')!.message, /digits/)
})

test('unknown fields and unknown query names are named', async (t) => {
  const world = await createWorld(t)
  const body = { ...transfer, status: 'completed', organizationId: world.organizationId, feeAmount: 0 }
  const { details } = refused(await world.post('/v1/transfers', body), 400, 'invalid_request')
  assert.deepEqual(details!.map(({ param }) => param).toSorted(), ['feeAmount', 'organizationId', 'status'])
  for (const path of ['/v1/wallets?colour=red', '/v1/transfers?colour=red', `/v1/transfers/${noId}?colour=red`]) {
    assert.equal(refused(await world.get(path), 400, 'invalid_request').param, 'colour', path)
  }
})

test('nothing in a body is read as another type', async (t) => {
  const world = await createWorld(t)
  const wrong: Record<string, unknown>[] = [
    { sourceAmount: '100' },
    { sourceAmount: true },
    { reference: 12 },
    { description: 1 },
    { sourceCurrency: ['NGN'] },
    { sourceCurrency: 'ngn' },
    { targetAmount: 5 },
  ]
  for (const change of wrong) {
    const [name] = Object.keys(change)
    const error = refused(await world.post('/v1/transfers', { ...transfer, ...change }), 400, 'invalid_request')
    assert.equal(error.param, name, JSON.stringify(change))
  }
  for (const body of ['[]', '"text"', '7', 'null', 'true']) {
    refused(await world.post('/v1/transfers', body), 400, 'invalid_request')
  }
})

test('null clears an optional field and is a fault of a required one', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 10_000)
  const answer = await world.post('/v1/transfers', { ...transfer, description: null, targetAmount: null })
  assert.equal(answer.statusCode, 201, answer.body)
  assert.equal(answer.json<{ data: { description: null } }>().data.description, null)
  const error = refused(await world.post('/v1/transfers', { ...transfer, reference: null }), 400, 'invalid_request')
  assert.equal(error.param, 'reference')
})

test('amounts are read from the JSON text, exactly', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 10_000)
  const written = (amount: string) =>
    `{"reference":"a${amount.length}","sourceCurrency":"NGN","targetCurrency":"USD","sourceAmount":${amount}}`
  const wrong = ['1000.000000000000000001', '0', '-1', '0.001', '9007199254740993', '1e400', '1e-9', '90071992547.41']
  for (const amount of wrong) {
    const error = refused(await world.post('/v1/transfers', written(amount)), 400, 'invalid_request')
    assert.equal(error.param, 'sourceAmount', amount)
  }
  refused(await world.post('/v1/transfers', written('NaN')), 400, 'invalid_request')
  for (const amount of ['1500.00', '15e2']) {
    const answer = await world.post('/v1/transfers', written(amount))
    assert.equal(answer.json<{ data: { sourceAmount: number } }>().data.sourceAmount, 1500, answer.body)
  }
})

test('what the database could not keep as it was sent is a fault that names its place', async (t) => {
  const world = await createWorld(t)
  const nul = await world.post('/v1/transfers', { ...transfer, description: 'a\0b' })
  assert.equal(refused(nul, 400, 'invalid_request').param, 'description')
  const half = await world.post('/v1/transfers', `{"reference":"r","description":"\\ud800"}`)
  assert.equal(refused(half, 400, 'invalid_request').param, 'description')
  const proto = await world.post('/v1/transfers', '{"__proto__":{"isAdmin":true},"reference":"r"}')
  assert.equal(refused(proto, 400, 'invalid_request').param, '__proto__')
  const deeper = await world.post('/v1/transfers', '{"reference":"r","a":[{"b":{"__proto__":1}}]}')
  assert.equal(refused(deeper, 400, 'invalid_request').param, 'a[0].b.__proto__')
  const constructed = await world.post('/v1/transfers', '{"constructor":{"prototype":{"isAdmin":true}}}')
  refused(constructed, 400, 'invalid_request')
  assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined)
  const bytes = Buffer.concat([Buffer.from('{"reference":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])
  const answer = await world.service.app.fastify.inject({
    method: 'POST',
    url: '/api/v1/transfers',
    headers: { authorization: `Bearer ${world.apiKey}`, 'content-type': 'application/json' },
    payload: bytes,
  })
  refused(answer, 400, 'invalid_request')
})

test('a NUL or a broken escape in the address is a fault, not an error of ours', async (t) => {
  const world = await createWorld(t)
  assert.equal(refused(await world.get('/v1/transfers?reference=%00'), 400, 'invalid_request').param, 'reference')
  refused(await world.get('/v1/transfers/%00'), 400, 'invalid_request')
  refused(await world.get('/v1/transfers/%zz'), 400, 'invalid_request')
  refused(await world.get('/v1/transfers?reference=%ff%zz'), 400, 'invalid_request')
})

test('a body nested without end is refused, and the service goes on', async (t) => {
  const world = await createWorld(t)
  const depth = 200_000
  refused(await world.post('/v1/transfers', `${'['.repeat(depth)}${']'.repeat(depth)}`), 400, 'invalid_request')
  refused(await world.post('/v1/transfers', '{"a":'.repeat(depth)), 400, 'invalid_request')
  assert.equal((await world.get('/v1/wallets')).statusCode, 200)
})

test('a body of nothing but faults is refused quickly, with the first hundred of them', async (t) => {
  const world = await createWorld(t)
  const unknown = Array.from({ length: 105_000 }, (_, n) => `"${n.toString(36)}":0`).join(',')
  const unfit = '"\\u0000",'.repeat(100_000)
  for (const body of [`{${unknown}}`, `{"reference":[${unfit}0]}`]) {
    const { details } = refused(await world.post('/v1/transfers', body), 400, 'invalid_request')
    assert.equal(details?.length, 100)
  }
})

test('a fault under many levels is told, or the body is nested too deeply', async (t) => {
  const world = await createWorld(t)
  for (const depth of [1_000, 3_000, 5_000, 7_000, 9_000]) {
    const body = `${'{"a":'.repeat(depth)}"\\u0000"${'}'.repeat(depth)}`
    refused(await world.post('/v1/transfers', body), 400, 'invalid_request')
  }
})
