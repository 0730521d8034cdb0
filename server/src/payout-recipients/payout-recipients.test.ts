import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '../../test/world.ts'

const path = (publicId: string) => `/v1/payout-recipients/partnerwallet/${publicId}`

test('a partner-wallet user is shown by a masked name and the currencies it can receive', async (t) => {
  const world = await createWorld(t)
  const response = await world.get(path('PWabcd1234'))
  assert.equal(response.statusCode, 200, response.body)
  const { data } = response.json<{ data: { publicId: string; maskedName: string; currencies: string[] } }>()
  assert.deepEqual([data.publicId, data.currencies], ['PWabcd1234', ['NGN', 'GHS']])
  assert.match(data.maskedName, /^[A-Z][a-z]\*\*\* [A-Z][a-z]\*\*\*$/)
})

test('an unknown user is not found, a malformed identifier is refused', async (t) => {
  const world = await createWorld(t)
  for (const publicId of ['PW00000404', 'XX12345678', 'PW12345422'])
    assert.equal((await world.get(path(publicId))).statusCode, 404, publicId)
  for (const publicId of ['PW1234567', 'PW123456789', 'PW1234-678'])
    assert.equal((await world.get(path(publicId))).statusCode, 400, publicId)
})

test('a silent provider is a 502 and no miss', async (t) => {
  const world = await createWorld(t)
  for (let tries = 0; tries < 12; tries += 1) {
    const response = await world.get(path('PW12345502'))
    assert.equal(response.statusCode, 502)
    assert.equal(response.json<{ error: { code: string } }>().error.code, 'verification_provider_unavailable')
  }
})

test('of 40 look-ups at once that find nobody exactly 10 are answered, and then nobody is asked', async (t) => {
  const [world, other] = [await createWorld(t), await createWorld(t)]
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => world.get(path(`XX000000${10 + n}`))))
  const statuses = answers.map(({ statusCode }) => statusCode)
  assert.equal(statuses.filter((status) => status === 404).length, 10)
  assert.equal(statuses.filter((status) => status === 429).length, 30)
  const refused = await world.get(path('PWabcd1234'))
  assert.equal(refused.statusCode, 429)
  assert(Number(refused.headers['retry-after']) >= 1)
  const create = await world.post('/v1/payout-accounts', {
    accountType: 'partnerwallet_wallet',
    accountNumber: 'PWabcd1234',
    currency: 'NGN',
  })
  assert.equal(create.statusCode, 429)
  assert.equal((await other.get(path('PWabcd1234'))).statusCode, 200)
})

test('misses of look-up and creation count together, also when the creation is refused', async (t) => {
  const world = await createWorld(t)
  const body = { accountType: 'partnerwallet_wallet', currency: 'NGN' }
  for (let n = 0; n < 5; n += 1) {
    const key = { 'idempotency-key': `miss-${n}` }
    const create = await world.post('/v1/payout-accounts', { ...body, accountNumber: `ZZ0000000${n}` }, key)
    assert.equal(create.json<{ error: { code: string } }>().error.code, 'account_not_resolved')
    assert.equal((await world.get(path(`YY0000000${n}`))).statusCode, 404)
  }
  assert.equal((await world.get(path('YY00000009'))).statusCode, 429)
})

test('30 look-ups at once that find somebody are all answered', async (t) => {
  const world = await createWorld(t)
  const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => world.get(path(`PW000001${10 + n}`))))
  assert(answers.every(({ statusCode }) => statusCode === 200))
})
