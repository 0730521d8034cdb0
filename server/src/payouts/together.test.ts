import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lockBalances } from '../ledger/accounts.ts'
import { ownerOf } from '../../test/members.ts'
import { account, wallet, type Payout } from '../../test/payouts.ts'
import { createWorld, eventually } from '../../test/world.ts'

// Requests that come at the same moment are written together; nobody may notice.

test('requests at the same moment are each answered for themselves', async (t) => {
  const world = await createWorld(t)
  await world.patch(
    `/v1/organizations/${world.organizationId}`,
    { approvalThresholds: { NGN: 1_000 } },
    (await ownerOf(world)).headers,
  )
  await world.fund('NGN', 10_000)
  const { id } = await account(world)
  const other = await account(world, '0000000019')
  await world.patch(`/v1/payout-accounts/${other.id}`, { isActive: false })
  const send = async (reference: string, more: object = {}) => {
    const wish = { reference, payoutAccountId: id, sourceAmount: 400, ...more }
    const { statusCode, ...response } = await world.post('/v1/payouts', wish)
    const { data, error } = response.json<{ data?: Payout; error?: { code: string; requestId: string } }>()
    return [statusCode, data ? `${data.reference} ${data.status}` : error?.code]
  }
  const answers = await Promise.all([
    send('one'),
    send('two'),
    send('two'),
    send('inactive', { payoutAccountId: other.id }),
    send('fine', { sourceAmount: 400.001 }),
    send('large', { sourceAmount: 1_000 }),
    send('beyond', { sourceAmount: 9_000 }),
    send('three'),
  ])
  assert.deepEqual(
    answers.map(([status, said]) => `${status} ${said}`),
    [
      '201 one pending',
      '201 two pending',
      '409 reference_taken',
      '422 payout_account_inactive',
      '400 invalid_request',
      '201 large pending_approval',
      '422 insufficient_funds',
      '201 three pending',
    ],
  )
  // 400 three times and 1,000, each with its fee.
  await eventually('they are paid', async () => (await wallet(world)).heldBalance === 1_005)
  assert.equal((await wallet(world)).balance, 10_000 - 3 * 402 - 1_005)
})

test('requests of several organizations at once are each written in their own books', async (t) => {
  const worlds = [await createWorld(t), await createWorld(t), await createWorld(t)]
  const [first] = worlds
  for (const world of worlds) await world.fund('NGN', world === first ? 1_000 : 10_050)
  const accounts = await Promise.all(worlds.map((world) => account(world)))
  const requests = Array.from({ length: 120 }, (_, index) => {
    const [world, { id }] = [worlds[index % 3]!, accounts[index % 3]!]
    // Every tenth of the second organization names a beneficiary of the third.
    const payoutAccountId = index % 30 === 1 ? accounts[2]!.id : id
    return world.post('/v1/payouts', { reference: `same-${Math.floor(index / 3)}`, payoutAccountId, sourceAmount: 100 })
  })
  const answers = await Promise.all(requests)
  const counts = worlds.map((_, which) => {
    const codes = answers.filter((_answer, index) => index % 3 === which)
    return codes.map((one) => (one.statusCode === 201 ? 'made' : one.json<{ error: { code: string } }>().error.code))
  })
  const tally = (codes: readonly string[]) =>
    Object.fromEntries([...Map.groupBy(codes, (code) => code)].map(([code, list]) => [code, list.length]))
  assert.deepEqual(counts.map(tally), [
    { made: 9, insufficient_funds: 31 },
    { made: 36, payout_account_not_found: 4 },
    { made: 40 },
  ])
})

test('a wallet that is locked holds up nobody else', async (t) => {
  const [stuck, other] = [await createWorld(t), await createWorld(t)]
  const send = async (world: typeof stuck, payoutAccountId: string, reference: string) =>
    (await world.post('/v1/payouts', { reference, payoutAccountId, sourceAmount: 100 })).statusCode
  for (const world of [stuck, other]) await world.fund('NGN', 10_000)
  const [held, free] = [await account(stuck), await account(other)]
  const { db } = stuck.service.deps
  const waiting = await db.transaction(async (tx) => {
    await lockBalances(tx, [{ organizationId: stuck.organizationId, currency: 'NGN' }], ['available'])
    const answers = Promise.all(Array.from({ length: 10 }, (_, n) => send(stuck, held.id, `stuck-${n}`)))
    for (let n = 0; n < 10; n += 1) assert.equal(await send(other, free.id, `free-${n}`), 201)
    return { answers }
  })
  assert.deepEqual(new Set(await waiting.answers), new Set([201]))
})
