import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownerOf } from '../../test/members.ts'
import { behave, booked, eventsOf, payout, payTo, reaches, reviewItems, wallet } from '../../test/payouts.ts'
import { createService } from '../../test/service.ts'
import { createWorld, eventually, type World } from '../../test/world.ts'
import { statement } from '../db/sql.ts'

// What a rail may do to an order, and the one truthful end each time. Calls have a short deadline here.

let service: ReturnType<typeof createService> | undefined

async function world(t: Parameters<typeof createWorld>[0], settings: object = {}): Promise<World> {
  service ??= createService({ env: { RAIL_TIMEOUT_MS: '1500' } })
  const made = await createWorld(t, await service)
  await behave(made, settings)
  t.after(() => behave(made, {}))
  return made
}

const ends = async (on: World, id: string) => (await eventsOf(on, id)).map(({ type }) => type).slice(2)

test('a rail that times out after taking the order is asked, and the payout completes once', async (t) => {
  const on = await world(t)
  const made = await payTo(on, '0000000002')
  await reaches(on, made.id, 'processing')
  await on.advance(30)
  await reaches(on, made.id, 'completed')
  assert.deepEqual(await booked(on, made.id), { orders: 1, sends: 1 })
  assert.deepEqual(await ends(on, made.id), ['payout.completed'])
})

test('a rail that answers twice is believed once', async (t) => {
  const on = await world(t)
  const made = await payTo(on, '0000000003')
  await reaches(on, made.id, 'processing')
  for (let times = 0; times < 3; times += 1) await on.post(`/v1/sandbox/payouts/${made.id}/complete`)
  await reaches(on, made.id, 'completed')
  for (let times = 0; times < 2; times += 1) await on.post(`/v1/sandbox/payouts/${made.id}/return`)
  await eventually('it is returned', async () => (await payout(on, made.id)).returnedAt !== null)
  await on.advance(60)
  assert.deepEqual(await ends(on, made.id), ['payout.completed', 'transfer.completed'])
  assert.deepEqual(await wallet(on), { balance: 1_995, heldBalance: 0 })
  assert.deepEqual(await reviewItems(on, made.id), [])
})

test('a return is put back also where the organization has used its reference for a transfer', async (t) => {
  const on = await world(t)
  const made = await payTo(on, '0000000003')
  const reference = `return:${made.id}`
  const wish = { reference, sourceCurrency: 'NGN', targetCurrency: 'USD', sourceAmount: 900 }
  assert.equal((await on.post('/v1/transfers', wish)).statusCode, 201)
  assert.equal((await on.post('/v1/transfers', wish)).json<{ error: { code: string } }>().error.code, 'reference_taken')
  await reaches(on, made.id, 'processing')
  await on.post(`/v1/sandbox/payouts/${made.id}/return`)
  await eventually('it is returned', async () => (await payout(on, made.id)).returnedAt !== null)
  const { returnTransferId } = await payout(on, made.id)
  const back = await on.get(`/v1/transfers/${returnTransferId}`)
  assert.equal(back.json<{ data: { reference: string } }>().data.reference, reference)
  assert.equal((await wallet(on)).balance, 2_000 - 5 - 900)
})

test('a rail that says failed and then completed leaves the payout failed and asks a person', async (t) => {
  const on = await world(t)
  const made = await payTo(on, '0000000003')
  await reaches(on, made.id, 'processing')
  await on.post(`/v1/sandbox/payouts/${made.id}/fail`)
  await reaches(on, made.id, 'failed')
  await on.post(`/v1/sandbox/payouts/${made.id}/complete`)
  await eventually('a person is asked', async () => (await reviewItems(on, made.id)).length === 1)
  assert.equal((await payout(on, made.id)).status, 'failed')
  assert.deepEqual(await ends(on, made.id), ['payout.failed'])
  assert.deepEqual(await wallet(on), { balance: 2_000, heldBalance: 0 })
})

test('an order the rail twice says it does not have is sent once more under the same id', async (t) => {
  const on = await world(t, { losesOrders: true })
  const made = await payTo(on, '0123456789')
  await eventually('it was lost', async () => (await payout(on, made.id)).status === 'processing')
  await on.advance(10)
  assert.equal((await booked(on, made.id)).orders, 0)
  await behave(on, {})
  await on.advance(30)
  assert.equal((await booked(on, made.id)).orders, 0, 'once is not enough')
  await on.advance(60)
  await reaches(on, made.id, 'completed')
  assert.deepEqual(await booked(on, made.id), { orders: 1, sends: 1 })
})

test('an order lost a second time is a review item, and never sent a third time', async (t) => {
  const on = await world(t, { losesOrders: true })
  const made = await payTo(on, '0123456789')
  await reaches(on, made.id, 'processing')
  await on.advance(3_600)
  assert.deepEqual(await reviewItems(on, made.id), [{ kind: 'unanswered_payout', status: 'open', amount: 100_000n }])
  assert.equal((await payout(on, made.id)).status, 'processing')
  await behave(on, {})
  await on.advance(86_400)
  assert.equal((await booked(on, made.id)).orders, 0)
  assert.deepEqual(await wallet(on), { balance: 995, heldBalance: 1_005 })
})

test('a rail that does not promise to take an order id once is never sent the same order again', async (t) => {
  const careful = await createService({
    env: { RAIL_TIMEOUT_MS: '1500' },
    rails: (all) =>
      all.map((rail) => (rail.payouts ? { ...rail, payouts: { ...rail.payouts, hasIdempotentOrders: false } } : rail)),
  })
  const on = await createWorld(t, careful)
  await behave(on, { losesOrders: true })
  const made = await payTo(on, '0123456789')
  await reaches(on, made.id, 'processing')
  await on.advance(10)
  await behave(on, {})
  await on.advance(30)
  assert.deepEqual(await reviewItems(on, made.id), [], 'once is not enough')
  await on.advance(120)
  assert.deepEqual(await reviewItems(on, made.id), [{ kind: 'unanswered_payout', status: 'open', amount: 100_000n }])
  await on.advance(86_400)
  assert.deepEqual(await booked(on, made.id), { orders: 0, sends: 0 })
  assert.equal((await payout(on, made.id)).status, 'processing')
  assert.deepEqual(await wallet(on), { balance: 995, heldBalance: 1_005 })
})

test('a person who knows that nobody was paid gets what was held back into the wallet', async (t) => {
  const on = await world(t, { losesOrders: true })
  const made = await payTo(on, '0123456789')
  await reaches(on, made.id, 'processing')
  await on.advance(3_600)
  const owner = await ownerOf(on)
  const { reviewItems: items } = (await on.get('/v1/review-items?status=open')).json<{
    data: { reviewItems: { id: string; resourceId: string }[] }
  }>().data
  assert.equal(items[0]?.resourceId, made.id)
  const decision = { action: 'credit', note: 'The provider has no such order.' }
  const resolved = await on.post(`/v1/review-items/${items[0]?.id}/resolve`, decision, owner.headers)
  assert.equal(resolved.statusCode, 200, resolved.body)
  const failed = await payout(on, made.id)
  assert.deepEqual([failed.status, failed.failureReason], ['failed', 'unanswered'])
  assert.deepEqual(await wallet(on), { balance: 2_000, heldBalance: 0 })
})

test('a rail that never answers is asked with growing intervals, and after 24 hours a person is', async (t) => {
  const on = await world(t, { hangsAfterTaking: true, isSilent: true })
  const made = await payTo(on, '0000000003')
  await reaches(on, made.id, 'processing')
  await on.advance(23 * 3_600)
  assert.deepEqual(await reviewItems(on, made.id), [])
  await on.advance(3_600 + 60)
  assert.equal((await reviewItems(on, made.id)).length, 1)
  assert.equal((await payout(on, made.id)).status, 'processing')
  assert.deepEqual(await booked(on, made.id), { orders: 1, sends: 1 })
  // It speaks after all: its word is taken, and nobody needs to decide any more.
  await on.post(`/v1/sandbox/payouts/${made.id}/complete`)
  await reaches(on, made.id, 'completed')
  assert.equal((await reviewItems(on, made.id))[0]?.status, 'resolved')
})

test('notices that are lost are made up for by asking', async (t) => {
  const on = await world(t, {})
  const text = `insert into simulator.behaviour (capability, settings) values ('notices', $1)
                on conflict (capability) do update set settings = excluded.settings`
  const lose = (losesNotices: boolean) =>
    on.service.deps.db.many({ name: 'lose_notices', text }, [JSON.stringify({ losesNotices })])
  await lose(true)
  t.after(() => lose(false))
  const made = await payTo(on, '0123456789')
  await reaches(on, made.id, 'processing')
  const paid = statement(`select from simulator.payout_orders where order_id = $1 and ends_at <= clock_timestamp()`)
  await eventually('the rail has paid', async () => (await on.service.deps.db.many(paid, [made.id])).length === 1)
  await on.advance(60)
  await reaches(on, made.id, 'completed')
})

test('a notice about an order nobody made belongs to nobody and changes nothing', async (t) => {
  const on = await world(t)
  const { deps } = on.service
  const { applyPayoutNotices } = await import('./notices.ts')
  const notice = {
    kind: 'payout',
    dedupeKey: 'x',
    orderId: 'nobody',
    railReference: 'po',
    state: 'completed',
    reason: null,
  } as const
  const told = { id: deps.newId(deps.now()), rail: 'sandbox', receivedAt: deps.now(), notice }
  const nobodys = await deps.db.transaction((tx) => applyPayoutNotices(deps, tx, [told]))
  assert.deepEqual(nobodys, [told])
})
