import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownerOf } from '../../test/members.ts'
import { account, reaches, wallet, type Payout } from '../../test/payouts.ts'
import { createWorld, type World } from '../../test/world.ts'

type Outcome = {
  index: number
  reference: string | null
  payout: Payout | null
  error: { code: string; details?: { param: string }[] } | null
}
type Outcomes = { outcomes: Outcome[]; accepted: number; refused: number }

async function bulk(world: World, payouts: readonly unknown[]): Promise<Outcomes> {
  const response = await world.post('/v1/payouts/bulk', { payouts })
  assert.equal(response.statusCode, 200, response.body.slice(0, 500))
  return response.json<{ data: Outcomes }>().data
}

test('all that can be accepted is, in order, and each outcome says why or what', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 1_010)
  const { id } = await account(world)
  const item = (reference: string, sourceAmount: unknown) => ({ reference, payoutAccountId: id, sourceAmount })
  const { outcomes, accepted, refused } = await bulk(world, [
    item('a', 500),
    item('a', 1),
    item('big', 600),
    { ...item('stranger', 1), payoutAccountId: '01900000-0000-7000-8000-000000000000' },
    item('text', '5'),
    item('zero', 0),
    'nonsense',
    null,
    { reference: 'extra', payoutAccountId: id, sourceAmount: 1, status: 'completed' },
    item('b', 500),
    item('too late', 1),
    item('c-1', 6),
  ])
  assert.deepEqual([accepted, refused], [2, 10])
  assert.deepEqual(
    outcomes.map(({ index, reference, payout, error }) => [index, reference, payout?.status ?? error?.code]),
    [
      [0, 'a', 'pending'],
      [1, 'a', 'reference_taken'],
      [2, 'big', 'insufficient_funds'],
      [3, 'stranger', 'payout_account_not_found'],
      [4, 'text', 'invalid_request'],
      [5, 'zero', 'invalid_request'],
      [6, null, 'invalid_request'],
      [7, null, 'invalid_request'],
      [8, 'extra', 'invalid_request'],
      [9, 'b', 'pending'],
      [10, 'too late', 'invalid_request'],
      [11, 'c-1', 'insufficient_funds'],
    ],
  )
  for (const { payout, error } of outcomes) assert.equal(payout === null, error !== null)
  assert.equal((await wallet(world)).balance, 5)
  for (const { payout } of outcomes) if (payout) await reaches(world, payout.id, 'completed')
})

test('a value that cannot be kept as it is written refuses its own item and no other', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 1_000)
  const { id } = await account(world)
  const item = (reference: string, amount: string, more = '') =>
    `{"reference":"${reference}","payoutAccountId":"${id}","sourceAmount":${amount}${more}}`
  const items = [
    item('long', '100.000000000000000001'),
    item('good', '100'),
    item('nul', '100', ',"narration":"a\\u0000b"'),
    item('half', '100', ',"metadata":{"a":"\\ud800"}'),
    item('proto', '100', ',"__proto__":{"a":1}'),
    '10000000000000000000000001',
    item('fine', '100.50'),
  ]
  const { statusCode, body } = await world.post('/v1/payouts/bulk', `{"payouts":[${items.join(',')}]}`)
  assert.equal(statusCode, 200, body)
  const { outcomes, accepted } = (JSON.parse(body) as { data: Outcomes }).data
  assert.equal(accepted, 2)
  assert.deepEqual(
    outcomes.map(({ reference, payout, error }) => [reference, payout?.sourceAmount ?? error?.details?.[0]?.param]),
    [
      ['long', 'sourceAmount'],
      ['good', 100],
      ['nul', 'narration'],
      ['half', 'metadata.a'],
      ['proto', '__proto__'],
      [null, 'body'],
      ['fine', 100.5],
    ],
  )
  const outside = await world.post('/v1/payouts/bulk', `{"payouts":[${items[1]}],"x":1.0000000000000000001}`)
  assert.equal(outside.statusCode, 400)
})

test('a bulk whose sum reaches the threshold waits for approval as a whole', async (t) => {
  const world = await createWorld(t)
  const owner = await ownerOf(world)
  const path = `/v1/organizations/${world.organizationId}`
  await world.patch(path, { approvalThresholds: { NGN: 5_000 } }, owner.headers)
  await world.fund('NGN', 100_000)
  await world.fund('USD', 100)
  const { id } = await account(world)
  const item = (reference: string, sourceAmount: number, sourceCurrency = 'NGN') => ({
    reference,
    payoutAccountId: id,
    sourceAmount,
    sourceCurrency,
  })
  const under = await bulk(world, [item('u1', 2_000), item('u2', 2_999.99)])
  assert.deepEqual(
    under.outcomes.map(({ payout }) => payout?.status),
    ['pending', 'pending'],
  )
  const over = await bulk(world, [item('o1', 2_000), item('o2', 3_000), item('o3', 1, 'USD')])
  assert.deepEqual(
    over.outcomes.map(({ payout }) => [payout?.status, payout?.requiresApproval]),
    [
      ['pending_approval', true],
      ['pending_approval', true],
      ['pending', false],
    ],
  )
})

test('a quote is good for one item, and a refused item leaves its quote unused', async (t) => {
  const world = await createWorld(t)
  await world.fund('USD', 150)
  const { id } = await account(world)
  const quote = async (sourceAmount: number) =>
    (
      await world.post('/v1/quotes', { kind: 'payout', sourceCurrency: 'USD', targetCurrency: 'NGN', sourceAmount })
    ).json<{ data: { id: string } }>().data.id
  const [small, large] = [await quote(100), await quote(149)]
  const item = (reference: string, sourceAmount: number, quoteId: string) => ({
    reference,
    payoutAccountId: id,
    sourceCurrency: 'USD',
    sourceAmount,
    quoteId,
  })
  const { outcomes } = await bulk(world, [item('1', 100, small), item('2', 100, small), item('3', 149, large)])
  assert.deepEqual(
    outcomes.map(({ payout, error }) => payout?.status ?? error?.code),
    ['pending', 'quote_used', 'insufficient_funds'],
  )
  await world.fund('USD', 200)
  assert.equal((await bulk(world, [item('4', 149, large)])).accepted, 1)
})

test('1,000 payouts are one request, more or none are refused, and its body may be larger than others', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 5_025)
  const { id } = await account(world, '0000000003')
  const metadata = { note: 'x'.repeat(500), more: 'y'.repeat(500), last: 'z'.repeat(500) }
  const items = Array.from({ length: 1_000 }, (_, n) => ({
    reference: `n${n}`,
    payoutAccountId: id,
    sourceAmount: 10,
    metadata,
  }))
  const { accepted, refused, outcomes } = await bulk(world, items)
  assert.deepEqual([accepted, refused], [500, 500])
  assert(outcomes.slice(500).every(({ error }) => error?.code === 'insufficient_funds'))
  for (const payouts of [[], [...items, items[0]], 'none'])
    assert.equal((await world.post('/v1/payouts/bulk', { payouts })).statusCode, 400)
  const huge = await world.post('/v1/payouts/bulk', { payouts: ['x'.repeat(8 * 1024 * 1024)] })
  assert.equal(huge.statusCode, 413)
})

test('bulks at the same moment never spend the same money', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 1_005)
  const { id } = await account(world, '0000000003')
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, lane) =>
      bulk(
        world,
        Array.from({ length: 40 }, (_unused, n) => ({
          reference: `${lane}-${n}`,
          payoutAccountId: id,
          sourceAmount: 10,
        })),
      ),
    ),
  )
  assert.equal(
    answers.reduce((sum, { accepted }) => sum + accepted, 0),
    100,
  )
  assert.deepEqual(await wallet(world), { balance: 0, heldBalance: 1_005 })
})
