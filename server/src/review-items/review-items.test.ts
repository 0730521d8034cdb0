import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  askFor,
  command,
  owner,
  paymentIn,
  read,
  reviewItems,
  visit,
  wallet,
  type ReviewItem,
} from '../../test/payments.ts'
import { sendNotice } from '../../test/notices.ts'
import { behave } from '../../test/simulator.ts'
import { createWorld, eventually, type World } from '../../test/world.ts'
import { statement } from '../db/sql.ts'
import { beginAttempt } from '../payments/payer.ts'

async function resolve(world: World, { id }: { id: string }, action: string, headers?: { authorization: string }) {
  return world.post(`/v1/review-items/${id}/resolve`, { action, note: 'seen' }, headers ?? (await owner(world)))
}

async function lateItem(world: World, more: object = {}): Promise<ReviewItem> {
  const payment = await paymentIn(world, 'cancelled', more)
  await command(world, payment, 'execute')
  const [item] = await reviewItems(world)
  assert.equal(item?.kind, 'late_payment')
  return item!
}

test('money for a payment that was cancelled waits in suspense, and the payment stays cancelled', async (t) => {
  const world = await createWorld(t)
  const item = await lateItem(world)
  assert.deepEqual([item.status, item.amount, item.currency, item.resolvedAt], ['open', 5_000, 'NGN', null])
  assert.equal((await read(world, { id: item.resourceId })).status, 'cancelled')
  const { balance, pendingBalance } = await wallet(world)
  assert.deepEqual([balance, pendingBalance], [0, 0])
  const single = await world.get(`/v1/review-items/${item.id}`)
  assert.deepEqual(single.json<{ data: ReviewItem }>().data, item)
})

test('too little, too much and twice are each before a person, and the payment can still be paid', async (t) => {
  const world = await createWorld(t)
  const payment = await askFor(world)
  await beginAttempt(world.service.deps, await visit(world, payment), { methodId: 'bank_transfer_ngn' })
  await command(world, payment, 'execute', { amount: 4_000, transactionReference: 'little' })
  await command(world, payment, 'execute', { amount: 6_000, transactionReference: 'much' })
  assert.equal((await read(world, payment)).status, 'authorising')
  await command(world, payment, 'execute', { amount: 5_000, transactionReference: 'right' })
  assert.equal((await read(world, payment)).status, 'executed')
  await command(world, payment, 'execute', { amount: 5_000, transactionReference: 'again' })
  await command(world, payment, 'execute', { amount: 5_000, transactionReference: 'right' })
  assert.deepEqual(
    (await reviewItems(world)).map(({ kind, amount, railReference }) => [kind, amount, railReference]),
    [
      ['duplicate_payment', 5_000, 'again'],
      ['wrong_amount', 6_000, 'much'],
      ['wrong_amount', 4_000, 'little'],
    ],
  )
  assert.equal((await wallet(world)).pendingBalance, 5_000)
})

test('crediting withholds the fee and brings the rest into the wallet, as a transfer', async (t) => {
  const world = await createWorld(t)
  const item = await lateItem(world)
  const response = await resolve(world, item, 'credit')
  assert.equal(response.statusCode, 200, response.body)
  const { data } = response.json<{ data: ReviewItem }>()
  assert.equal(data.status, 'resolved')
  assert.ok(data.resolvedBy && data.resolvedAt)
  assert.equal(await world.balance('NGN'), 4_925)
  const { transfers } = (await world.get('/v1/transfers')).json<{ data: { transfers: Record<string, unknown>[] } }>()
    .data
  assert.deepEqual(
    transfers.map(({ kind, targetAmount, status }) => [kind, targetAmount, status]),
    [['review_credit', 4_925, 'completed']],
  )
  const again = await resolve(world, item, 'credit')
  assert.equal(again.statusCode, 409)
  assert.equal(again.json<{ error: { code: string } }>().error.code, 'review_item_not_open')
  const { entries } = (await world.get('/v1/wallets/NGN/entries')).json<{ data: { entries: { kind: string }[] } }>()
    .data
  assert.deepEqual(
    entries.map(({ kind }) => kind),
    ['review_credit'],
  )
})

test('a sum the fee takes whole is credited as nothing', async (t) => {
  const world = await createWorld(t)
  const item = await lateItem(world, { sourceCurrency: 'UGX', sourceAmount: 2 })
  await command(world, { id: item.resourceId }, 'execute', { amount: 1, transactionReference: 'one' })
  const small = (await reviewItems(world)).find(({ amount }) => amount === 1)
  if (small) {
    assert.equal((await resolve(world, small, 'credit')).statusCode, 200)
    assert.equal(await world.balance('UGX'), 0)
  }
})

test('returning takes until the provider confirms it', async (t) => {
  const world = await createWorld(t)
  const item = await lateItem(world)
  const response = await resolve(world, item, 'return')
  assert.equal(response.statusCode, 202, response.body)
  assert.equal(response.json<{ data: ReviewItem }>().data.status, 'returning')
  await eventually('it is back', async () => (await reviewItems(world, '?status=resolved')).length === 1)
  assert.equal(await world.balance('NGN'), 0)
})

test('a return that is told of before it is on record is resolved once it is', async (t) => {
  const world = await createWorld(t)
  const item = await lateItem(world)
  const { service } = world
  const early = {
    id: `early-${item.id}`,
    event: 'collection.returned',
    railReference: `RET-${item.id}`,
    orderId: item.id,
  }
  assert.equal((await sendNotice(service, 'sandbox', early)).statusCode, 200)
  const status = statement<{ status: string }>('select status from rail_notices where dedupe_key = $1')
  const isUnmatched = async () => (await service.deps.db.many(status, [early.id]))[0]?.status === 'unmatched'
  await eventually('it is nobody’s', isUnmatched)
  await behave(world, 'notices', { losesNotices: true })
  t.after(() => behave(world, 'notices', {}))
  assert.equal((await resolve(world, item, 'return')).statusCode, 202)
  await eventually('it is back', async () => (await reviewItems(world, '?status=resolved')).length === 1)
  assert.equal(await isUnmatched(), false)
})

test('only a member may decide, and the decision is in the audit log', async (t) => {
  const world = await createWorld(t)
  const item = await lateItem(world)
  const byKey = await resolve(world, item, 'credit', { authorization: `Bearer ${world.apiKey}` })
  assert.equal(byKey.statusCode, 403)
  assert.equal(byKey.json<{ error: { code: string } }>().error.code, 'member_required')
  const headers = await owner(world)
  assert.equal((await resolve(world, item, 'credit', headers)).statusCode, 200)
  const log = await world.get(`/v1/organizations/${world.organizationId}/audit-log`, headers)
  const { auditEntries } = log.json<{ data: { auditEntries: { action: string; resourceId: string }[] } }>().data
  assert.ok(auditEntries.some(({ action, resourceId }) => action === 'review_item.resolved' && resourceId === item.id))
})

test('two people deciding at once: one decides', async (t) => {
  const world = await createWorld(t)
  const item = await lateItem(world)
  const headers = await owner(world)
  const answers = await Promise.all([resolve(world, item, 'credit', headers), resolve(world, item, 'credit', headers)])
  assert.deepEqual(
    answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b),
    [200, 409],
  )
  assert.equal(await world.balance('NGN'), 4_925)
})

test('a person who has found out what a silent provider did not say brings the payment to its end', async (t) => {
  const world = await createWorld(t)
  const [paid, never] = [await paymentIn(world, 'initiated'), await paymentIn(world, 'initiated')]
  await world.advance(7 * 86_400 + 60)
  const items = await reviewItems(world)
  assert.equal(items.length, 2)
  const itemOf = ({ id }: { id: string }) => items.find(({ resourceId }) => resourceId === id)!
  assert.equal((await resolve(world, itemOf(paid), 'credit')).statusCode, 200)
  assert.equal((await resolve(world, itemOf(never), 'return')).statusCode, 200)
  assert.ok(['executed', 'settled'].includes((await read(world, paid)).status))
  const failed = await read(world, never)
  assert.deepEqual([failed.status, failed.failureReason], ['failed', 'provider_silent'])
})
