import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCustomer, GOOD_BVN, type Refused } from '../../test/customers.ts'
import { behave } from '../../test/simulator.ts'
import { openAccount, type AccountAnswer } from '../../test/virtual-accounts.ts'
import { createWorld, type World } from '../../test/world.ts'
import { statement } from '../db/sql.ts'
import type { VirtualAccount } from './schema.ts'

const verified = { identityType: 'BVN', identityNumber: GOOD_BVN }

async function countAtProvider({ service: { deps } }: World, entityName: string): Promise<number> {
  const counted = statement<{ count: number }>(
    'select count(*)::integer as count from simulator.virtual_account_orders where account_name = $1',
  )
  return (await deps.db.one(counted, [entityName])).count
}

test("a customer's virtual account is opened at providerB by default, with one bank", async (t) => {
  const world = await createWorld(t)
  const customer = await createCustomer(world)
  const response = await world.post(`/v1/customers/${customer.id}/virtual-accounts`)
  assert.equal(response.statusCode, 201, response.body)
  const { data } = response.json<AccountAnswer>()
  assert.deepEqual(Object.keys(data).toSorted(), [
    'accountReference',
    'accounts',
    'createdAt',
    'currency',
    'entityId',
    'entityType',
    'id',
    'isActive',
    'provider',
  ])
  assert.deepEqual(
    [data.provider, data.currency, data.entityType, data.entityId, data.isActive, data.accounts.length],
    ['providerB', 'NGN', 'customer', customer.id, true, 1],
  )
  const [account] = data.accounts
  assert.match(account!.accountNumber, /^\d{10}$/)
  assert.deepEqual(
    [account!.accountName, typeof account!.bankCode, typeof account!.bankName],
    ['Ada Obi', 'string', 'string'],
  )
  const list = await world.get(`/v1/customers/${customer.id}/virtual-accounts`)
  assert.deepEqual(list.json(), { data: [data] })
})

test('providerA opens accounts at several banks, for a customer whose identity is verified', async (t) => {
  const world = await createWorld(t)
  const { id } = await createCustomer(world)
  const open = () => world.post(`/v1/customers/${id}/virtual-accounts`, { provider: 'providerA' })
  const refused = await open()
  assert.deepEqual([refused.statusCode, refused.json<Refused>().error.code], [422, 'identity_required'])
  await world.put(`/v1/customers/${id}`, { bvn: GOOD_BVN })
  const opened = await open()
  assert.equal(opened.statusCode, 201)
  assert.ok(opened.json<AccountAnswer>().data.accounts.length > 1)
  assert.equal((await world.get(`/v1/customers/${id}/virtual-accounts`)).json<{ data: unknown[] }>().data.length, 1)
})

test('the existing account is answered with 200, one per provider', async (t) => {
  const world = await createWorld(t)
  const { id } = await createCustomer(world, verified)
  const open = (provider: string) => world.post(`/v1/customers/${id}/virtual-accounts`, { provider })
  const first = await open('providerB')
  const again = await open('providerB')
  assert.deepEqual([first.statusCode, again.statusCode], [201, 200])
  assert.equal(again.body, first.body)
  assert.equal((await open('providerA')).statusCode, 201)
  const list = (await world.get(`/v1/customers/${id}/virtual-accounts`)).json<{ data: VirtualAccount[] }>().data
  assert.deepEqual(
    list.map(({ provider }) => provider),
    ['providerA', 'providerB'],
  )
})

test('20 requests at once open one account at the provider', async (t) => {
  const world = await createWorld(t)
  const { id } = await createCustomer(world, { firstName: 'Parallel', lastName: world.organizationId })
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => world.post(`/v1/customers/${id}/virtual-accounts`)),
  )
  assert.deepEqual(
    answers.map(({ statusCode }) => statusCode).toSorted((a, b) => b - a),
    [201, ...Array.from({ length: 19 }, () => 200)],
  )
  assert.equal(new Set(answers.map(({ body }) => body)).size, 1)
  assert.equal(await countAtProvider(world, `Parallel ${world.organizationId}`), 1)
})

test('an inactive customer opens no new account; an unknown one is not found', async (t) => {
  const [world, other] = [await createWorld(t), await createWorld(t)]
  const { id } = await createCustomer(world)
  await world.delete(`/v1/customers/${id}`)
  const refused = await world.post(`/v1/customers/${id}/virtual-accounts`)
  assert.deepEqual([refused.statusCode, refused.json<Refused>().error.code], [422, 'customer_inactive'])
  assert.equal((await other.post(`/v1/customers/${id}/virtual-accounts`)).statusCode, 404)
  assert.equal((await other.get(`/v1/customers/${id}/virtual-accounts`)).statusCode, 404)
  assert.equal((await world.post(`/v1/customers/${id}/virtual-accounts`, { provider: 'providerC' })).statusCode, 400)
  assert.equal((await world.post(`/v1/customers/${id}/virtual-accounts`, { bank: '044' })).statusCode, 400)
})

test("the organization's own account needs no identity and shows on its naira wallet", async (t) => {
  const world = await createWorld(t)
  const wallet = async (currency: string) => {
    const { data } = (await world.get(`/v1/wallets/${currency}`)).json<{ data: Record<string, unknown> }>()
    return [data['accountNumber'], data['accountName'], data['bankName']]
  }
  assert.deepEqual(await wallet('NGN'), [null, null, null])
  const opened = await world.post('/v1/virtual-accounts', { provider: 'providerA' })
  assert.equal(opened.statusCode, 201, opened.body)
  const { data } = opened.json<AccountAnswer>()
  assert.deepEqual([data.entityType, data.entityId], ['organization', world.organizationId])
  const [first] = data.accounts
  const shown = [first!.accountNumber, first!.accountName, first!.bankName]
  assert.deepEqual(await wallet('NGN'), shown)
  assert.equal((await world.post('/v1/virtual-accounts')).statusCode, 201)
  assert.deepEqual(await wallet('NGN'), shown, 'the oldest one')
  assert.deepEqual(await wallet('GHS'), [null, null, null])
  const wallets = (await world.get('/v1/wallets')).json<{ data: Record<string, unknown>[] }>().data
  assert.deepEqual(wallets.map((one) => one['accountNumber']).filter(Boolean), [first!.accountNumber])
  const list = (await world.get('/v1/virtual-accounts')).json<{ data: VirtualAccount[] }>().data
  assert.deepEqual(
    list.map(({ provider }) => provider),
    ['providerB', 'providerA'],
  )
})

test('a provider that does not answer is a 502; the next request sends the same order', async (t) => {
  const world = await createWorld(t)
  const { id } = await createCustomer(world, { firstName: 'Down', lastName: world.organizationId })
  await behave(world, 'virtualAccounts', { isDown: true })
  const silent = await world.post(`/v1/customers/${id}/virtual-accounts`)
  assert.deepEqual(
    [silent.statusCode, silent.json<Refused>().error.code],
    [502, 'virtual_account_provider_unavailable'],
  )
  assert.deepEqual((await world.get(`/v1/customers/${id}/virtual-accounts`)).json(), { data: [] })
  await behave(world, 'virtualAccounts', {})
  assert.equal((await world.post(`/v1/customers/${id}/virtual-accounts`)).statusCode, 201)
  assert.equal(await countAtProvider(world, `Down ${world.organizationId}`), 1)
})

test('an opening with an Idempotency-Key is answered 201 again, byte for byte', async (t) => {
  const world = await createWorld(t)
  const { id } = await createCustomer(world)
  const open = () => world.post(`/v1/customers/${id}/virtual-accounts`, undefined, { 'idempotency-key': 'open' })
  const [first, again] = [await open(), await open()]
  assert.deepEqual([first.statusCode, again.statusCode, again.body], [201, 201, first.body])
  assert.equal(again.headers['idempotent-replayed'], 'true')
})

test('credits of an account nobody has are not found', async (t) => {
  const [world, other] = [await createWorld(t), await createWorld(t)]
  const { id } = await openAccount(world)
  assert.equal((await world.get(`/v1/virtual-accounts/${id}/credits`)).statusCode, 200)
  assert.equal((await other.get(`/v1/virtual-accounts/${id}/credits`)).statusCode, 404)
  assert.equal((await world.get('/v1/virtual-accounts/7/credits')).statusCode, 400)
})
