import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, eventually } from '../../test/world.ts'

type Transfer = {
  id: string
  status: string
  direction: string
  targetAmount: number
  sourceAmount: number
  exchangeRate: number
}

test('a conversion between own wallets is completed in the answer and announced', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 15_000)
  const response = await world.post('/v1/transfers', {
    reference: 'r1',
    sourceCurrency: 'NGN',
    targetCurrency: 'USD',
    sourceAmount: 15_000,
  })
  assert.equal(response.statusCode, 201, response.body)
  const { data } = response.json<{ data: Transfer }>()
  assert.equal(data.status, 'completed')
  assert.equal(data.direction, 'out')
  assert.equal(await world.balance('NGN'), 0)
  assert.equal(await world.balance('USD'), data.targetAmount)
  const events = (await world.get('/v1/events')).json<{ data: { events: { type: string; data: Transfer }[] } }>().data
    .events
  assert.deepEqual(
    events.map(({ type, data: { id } }) => [type, id]),
    [['transfer.completed', data.id]],
  )
})

test('a transfer to another organization leaves at once and arrives by itself', async (t) => {
  const [sender, receiver] = [await createWorld(t), await createWorld(t)]
  await sender.fund('NGN', 100)
  const response = await sender.post('/v1/transfers', {
    reference: 'gift',
    sourceCurrency: 'NGN',
    sourceAmount: 60,
    destinationOrganizationId: receiver.organizationId,
  })
  assert.equal(response.statusCode, 201, response.body)
  const { id, status } = response.json<{ data: Transfer }>().data
  assert.equal(status, 'pending')
  assert.equal(await sender.balance('NGN'), 40)
  await eventually('the receiver has it', async () => (await receiver.balance('NGN')) === 60)
  const [sent, received] = await Promise.all(
    [sender, receiver].map(async (world) => (await world.get(`/v1/transfers/${id}`)).json<{ data: Transfer }>().data),
  )
  assert.deepEqual([sent?.status, sent?.direction], ['completed', 'out'])
  assert.deepEqual([received?.status, received?.direction], ['completed', 'in'])
})
