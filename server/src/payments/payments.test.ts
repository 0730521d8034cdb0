import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, eventually, type World } from '../../test/world.ts'

type Payment = Record<string, unknown> & {
  id: string
  status: string
  linkToken: string
  paymentLink: string
  statusHistory: { status: string; at: string }[]
}

async function ask(world: World, more: object = {}): Promise<Payment> {
  const response = await world.post('/v1/payments', {
    reference: `r-${Math.random().toString(36).slice(2)}`,
    sourceCurrency: 'NGN',
    sourceAmount: 5_000,
    ...more,
  })
  assert.equal(response.statusCode, 201, response.body)
  return response.json<{ data: Payment }>().data
}

async function read(world: World, id: string): Promise<Payment> {
  return (await world.get(`/v1/payments/${id}`)).json<{ data: Payment }>().data
}

test('a payment is created with its link, fee and history, and announced', async (t) => {
  const world = await createWorld(t)
  const payment = await ask(world, { reference: 'first', metadata: { order: '7' } })
  assert.equal(payment.status, 'created')
  assert.deepEqual([payment['feeAmount'], payment['netAmount']], [75, 4925])
  assert.ok(payment.paymentLink.endsWith(`/pay/${payment.linkToken}`))
  assert.deepEqual(
    payment.statusHistory.map(({ status }) => status),
    ['created'],
  )
  assert.deepEqual(await read(world, payment.id), payment)
  const [event] = (await world.get('/v1/events')).json<{ data: { events: { type: string; data: object }[] } }>().data
    .events
  assert.deepEqual(event?.type, 'payment.created')
  assert.deepEqual(event?.data, {
    id: payment.id,
    reference: 'first',
    sourceAmount: 5000,
    sourceCurrency: 'NGN',
    targetAmount: 5000,
    targetCurrency: 'NGN',
    exchangeRate: 1,
    status: 'created',
  })
})

test('money that the provider receives is pending and then, when it settles, available without its fee', async (t) => {
  const world = await createWorld(t)
  const payment = await ask(world)
  assert.equal((await world.post(`/v1/sandbox/payments/${payment.id}/execute`)).statusCode, 202)
  await eventually('executed', async () => (await read(world, payment.id)).status === 'executed')
  const wallet = (await world.get('/v1/wallets/NGN')).json<{ data: { balance: number; pendingBalance: number } }>().data
  assert.deepEqual([wallet.balance, wallet.pendingBalance], [0, 5000])
  await world.advance(6)
  const settled = await read(world, payment.id)
  assert.equal(settled.status, 'settled')
  assert.equal(await world.balance('NGN'), 4925)
})
