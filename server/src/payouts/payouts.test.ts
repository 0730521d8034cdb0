import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, eventually } from '../../test/world.ts'
import { account, pay, payout, wallet } from '../../test/payouts.ts'

test('a payout holds amount and fee, completes, and is announced at each step', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 20_000)
  const beneficiary = await account(world)
  const created = await pay(world, { payoutAccountId: beneficiary.id, sourceAmount: 8_000, reference: 'rent-1' })
  assert.deepEqual(
    [created.status, created.feeAmount, created.exchangeRate, created.targetAmount, created.targetCurrency],
    ['pending', 40, 1, 8_000, 'NGN'],
  )
  assert.deepEqual(await wallet(world, 'NGN'), { balance: 11_960, heldBalance: 8_040 })
  await eventually('it completes', async () => (await payout(world, created.id)).status === 'completed')
  const done = await payout(world, created.id)
  assert.deepEqual(await wallet(world, 'NGN'), { balance: 11_960, heldBalance: 0 })
  assert.deepEqual(
    done.statusHistory.map(({ status }) => status),
    ['pending', 'processing', 'completed'],
  )
  assert.match(done.providerReference ?? '', /^po_/)
  assert.equal(done.destination['accountNumber'], '0123456789')
  const events = (await world.get('/v1/events')).json<{
    data: { events: { type: string; data: Record<string, unknown> }[] }
  }>().data.events
  assert.deepEqual(
    events.map(({ type, data }) => [type, data['status'], data['previousStatus']]),
    [
      ['payout.completed', 'completed', 'processing'],
      ['payout.processing', 'processing', 'pending'],
      ['payout.created', 'pending', undefined],
    ],
  )
  const { previousStatus: _, ...record } = events[0]!.data
  assert.deepEqual(record, done)
})
