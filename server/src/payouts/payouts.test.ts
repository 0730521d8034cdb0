import assert from 'node:assert/strict'
import { test } from 'node:test'
import { account, behave, booked, eventsOf, pay, payout, payTo, reaches, wallet } from '../../test/payouts.ts'
import { createService } from '../../test/service.ts'
import { createWorld, eventually } from '../../test/world.ts'

type Refused = { error: { code: string; param?: string } }

test('a payout holds amount and fee, completes, and is announced at each step', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 20_000)
  const beneficiary = await account(world)
  const wish = { payoutAccountId: beneficiary.id, sourceAmount: 8_000, narration: 'Rent', metadata: { flat: '2' } }
  const created = await pay(world, wish)
  assert.deepEqual(
    [created.status, created.feeAmount, created.exchangeRate, created.targetAmount, created.targetCurrency],
    ['pending', 40, 1, 8_000, 'NGN'],
  )
  assert.deepEqual([created.narration, created.metadata, created.requiresApproval], ['Rent', { flat: '2' }, false])
  assert.deepEqual((await wallet(world)).balance, 11_960)
  const done = await reaches(world, created.id, 'completed')
  assert.deepEqual(await wallet(world), { balance: 11_960, heldBalance: 0 })
  assert.deepEqual(
    done.statusHistory.map(({ status }) => status),
    ['pending', 'processing', 'completed'],
  )
  assert.match(done.providerReference ?? '', /^po_/)
  assert.equal(done.destination['accountNumber'], '0123456789')
  const events = await eventsOf(world, created.id)
  assert.deepEqual(
    events.map(({ type, data }) => [type, data['status'], data['previousStatus']]),
    [
      ['payout.created', 'pending', undefined],
      ['payout.processing', 'processing', 'pending'],
      ['payout.completed', 'completed', 'processing'],
    ],
  )
  assert.deepEqual(events[0]?.data, created)
  assert.deepEqual(events[2]?.data, { ...done, previousStatus: 'processing' })
  const entries = (await world.get('/v1/wallets/NGN/entries')).json<{
    data: { entries: { kind: string; amount: number }[] }
  }>().data.entries
  assert.deepEqual([entries[0]?.kind, entries[0]?.amount], ['payout_hold', 8_040])
})

test('the fee is rounded up and capped at 50 naira where the wallet is NGN', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 100_000)
  await world.fund('GHS', 100_000)
  const { id } = await account(world)
  const ghana = await account(world, '1234567890', { bankCode: '040100', country: 'GH' })
  const fee = async (payoutAccountId: string, sourceAmount: number) =>
    (await pay(world, { payoutAccountId, sourceAmount })).feeAmount
  assert.equal(await fee(id, 0.01), 0.01)
  assert.equal(await fee(id, 10.01), 0.06)
  assert.equal(await fee(id, 10_000), 50)
  assert.equal(await fee(id, 50_000), 50)
  assert.equal(await fee(ghana.id, 50_000), 250)
})

test('without enough money there is no payout, and its reference stays free', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 1_004.99)
  const { id } = await account(world)
  const wish = { reference: 'r', payoutAccountId: id, sourceAmount: 1_000 }
  const refused = await world.post('/v1/payouts', wish)
  assert.deepEqual([refused.statusCode, refused.json<Refused>().error.code], [422, 'insufficient_funds'])
  assert.deepEqual(await wallet(world), { balance: 1_004.99, heldBalance: 0 })
  await world.fund('NGN', 0.01)
  assert.equal((await world.post('/v1/payouts', wish)).statusCode, 201)
  const again = await world.post('/v1/payouts', { ...wish, sourceAmount: 1 })
  assert.deepEqual([again.statusCode, again.json<Refused>().error.code], [409, 'reference_taken'])
})

test('of 200 payouts at once against a balance for 120, exactly 120 are accepted', async (t) => {
  // Nobody is sent away because a slow machine has them wait for a connection: this is about money.
  const world = await createWorld(t, await createService({ env: { KOLO_DATABASE_WAIT_MS: '60000' } }))
  await world.fund('NGN', 12_060)
  const { id } = await account(world, '0000000003')
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) =>
      world.post('/v1/payouts', { reference: `p${n}`, payoutAccountId: id, sourceAmount: 100 }),
    ),
  )
  const statuses = Map.groupBy(answers, ({ statusCode }) => statusCode)
  assert.deepEqual([statuses.get(201)?.length, statuses.get(422)?.length], [120, 80])
  assert.deepEqual(await wallet(world), { balance: 0, heldBalance: 12_060 })
})

test('a beneficiary must exist and be active, and be paid in amounts of its currency', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 10_000)
  const { id } = await account(world)
  const refusal = async (body: object) => {
    const response = await world.post('/v1/payouts', { reference: 'x', ...body })
    return [response.statusCode, response.json<Refused>().error.code, response.json<Refused>().error.param]
  }
  const stranger = '01900000-0000-7000-8000-000000000000'
  const missing = await refusal({ payoutAccountId: stranger, sourceAmount: 1 })
  assert.deepEqual(missing, [422, 'payout_account_not_found', 'payoutAccountId'])
  const decimals = await refusal({ payoutAccountId: id, sourceAmount: 1.001 })
  assert.deepEqual(decimals, [400, 'invalid_request', 'sourceAmount'])
  assert.deepEqual((await refusal({ payoutAccountId: id, sourceAmount: 1, targetAmount: 1 }))[0], 400)
  assert.deepEqual((await refusal({ payoutAccountId: id }))[0], 400)
  assert.deepEqual((await refusal({ payoutAccountId: id, sourceAmount: -1 }))[0], 400)
  assert.deepEqual((await refusal({ payoutAccountId: id, sourceAmount: '1' }))[0], 400)
  assert.deepEqual((await refusal({ payoutAccountId: id, sourceAmount: 1, status: 'completed' }))[0], 400)
  await world.patch(`/v1/payout-accounts/${id}`, { isActive: false })
  assert.equal((await refusal({ payoutAccountId: id, sourceAmount: 1 }))[1], 'payout_account_inactive')
})

test('a payout in another currency is converted at a fixed rate, and returned as it was held', async (t) => {
  const world = await createWorld(t)
  await world.fund('USD', 1_000)
  const { id } = await account(world)
  const made = await pay(world, { payoutAccountId: id, sourceCurrency: 'USD', targetAmount: 15_000 })
  assert.deepEqual([made.sourceCurrency, made.targetCurrency, made.targetAmount], ['USD', 'NGN', 15_000])
  assert(made.exchangeRate > 1)
  const rate = made.exchangeRate
  assert.equal(made.sourceAmount, Math.ceil((15_000 / rate) * 100 - 1e-9) / 100)
  const done = await reaches(world, made.id, 'completed')
  assert.equal(done.exchangeRate, rate)
  const left = 1_000 - made.sourceAmount - made.feeAmount
  assert(Math.abs((await wallet(world, 'USD')).balance - left) < 1e-9)
})

test('a quote fixes rate and fee, and is used once', async (t) => {
  const world = await createWorld(t)
  await world.fund('USD', 1_000)
  const { id } = await account(world)
  const wish = { kind: 'payout', sourceCurrency: 'USD', targetCurrency: 'NGN', sourceAmount: 100 }
  const quote = (await world.post('/v1/quotes', wish)).json<{
    data: { id: string; targetAmount: number; feeAmount: number; exchangeRate: number }
  }>().data
  const body = { payoutAccountId: id, sourceCurrency: 'USD', sourceAmount: 100, quoteId: quote.id }
  const made = await pay(world, body)
  assert.deepEqual(
    [made.targetAmount, made.feeAmount, made.exchangeRate],
    [quote.targetAmount, quote.feeAmount, quote.exchangeRate],
  )
  const again = await world.post('/v1/payouts', { ...body, reference: 'again' })
  assert.deepEqual([again.statusCode, again.json<Refused>().error.code], [409, 'quote_used'])
})

test('a partner wallet is paid in its own currency only', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 1_000)
  await world.fund('USD', 1_000)
  const wish = { accountType: 'partnerwallet_wallet', accountNumber: 'PWabcd1234', currency: 'NGN' }
  const { id } = (await world.post('/v1/payout-accounts', wish)).json<{ data: { id: string } }>().data
  const body = { reference: 'usd', payoutAccountId: id, sourceAmount: 10, sourceCurrency: 'USD' }
  const refused = await world.post('/v1/payouts', body)
  assert.deepEqual([refused.statusCode, refused.json<Refused>().error.code], [422, 'currency_mismatch'])
  const made = await pay(world, { payoutAccountId: id, sourceAmount: 10 })
  const done = await reaches(world, made.id, 'completed')
  assert.match(String(done.destination['accountName']), /\*\*\*/)
})

test('a beneficiary in use stays, and payouts keep their destination when it changes', async (t) => {
  const world = await createWorld(t)
  const made = await payTo(world, '1111111003')
  const path = `/v1/payout-accounts/${made.payoutAccountId}`
  const used = await world.delete(path)
  assert.deepEqual([used.statusCode, used.json<Refused>().error.code], [409, 'payout_account_in_use'])
  assert.equal((await world.patch(path, { accountNumber: '2222222222' })).statusCode, 200)
  assert.equal((await payout(world, made.id)).destination['accountNumber'], '1111111003')
  await reaches(world, made.id, 'processing')
  assert.equal((await world.post(`/v1/sandbox/payouts/${made.id}/complete`)).statusCode, 202)
  await reaches(world, made.id, 'completed')
  assert.equal((await world.delete(path)).statusCode, 200)
  assert.equal((await payout(world, made.id)).destination['accountNumber'], '1111111003')
})

test('payouts are listed newest first and filtered', async (t) => {
  const world = await createWorld(t)
  const [first, second] = [await payTo(world, '1111111003'), await payTo(world, '2222222001')]
  await reaches(world, second.id, 'failed')
  const ids = async (query: string) =>
    (await world.get(`/v1/payouts${query}`))
      .json<{ data: { payouts: { id: string }[] } }>()
      .data.payouts.map((p) => p.id)
  assert.deepEqual(await ids(''), [second.id, first.id])
  assert.deepEqual(await ids('?status=failed'), [second.id])
  assert.deepEqual(await ids(`?payoutAccountId=${first.payoutAccountId}`), [first.id])
  assert.deepEqual(await ids(`?reference=${first.reference}`), [first.id])
  assert.deepEqual(await ids('?createdTo=2020-01-01'), [])
  assert.equal((await world.get('/v1/payouts?status=sent')).statusCode, 400)
  assert.equal((await world.get('/v1/payouts/01900000-0000-7000-8000-000000000000')).statusCode, 404)
})

test('the same Idempotency-Key makes one payout, also 20 times at once', async (t) => {
  const world = await createWorld(t)
  await world.fund('NGN', 5_000)
  const { id } = await account(world, '0000000003')
  const body = { reference: 'once', payoutAccountId: id, sourceAmount: 1_000 }
  const send = () => world.post('/v1/payouts', body, { 'idempotency-key': 'k' })
  const answers = await Promise.all(Array.from({ length: 20 }, send))
  assert(answers.every(({ statusCode }) => statusCode === 201 || statusCode === 409))
  const replay = await send()
  assert.equal(replay.headers['idempotent-replayed'], 'true')
  assert(answers.filter(({ statusCode }) => statusCode === 201).every(({ body: text }) => text === replay.body))
  assert.deepEqual(await wallet(world), { balance: 3_995, heldBalance: 1_005 })
})

test('an account that ends in 001 fails, and everything comes back', async (t) => {
  const world = await createWorld(t)
  const made = await payTo(world, '0000000001')
  const failed = await reaches(world, made.id, 'failed')
  assert.equal(failed.failureReason, 'account_closed')
  assert.deepEqual(await wallet(world), { balance: 2_000, heldBalance: 0 })
  assert.deepEqual(
    (await eventsOf(world, made.id)).map(({ type }) => type),
    ['payout.created', 'payout.processing', 'payout.failed'],
  )
})

test('an account that ends in 003 stays processing until the provider is told otherwise', async (t) => {
  const world = await createWorld(t)
  const [one, two, three] = [
    await payTo(world, '1111111003'),
    await payTo(world, '2222222003'),
    await payTo(world, '3333333003'),
  ]
  for (const { id } of [one, two, three]) await reaches(world, id, 'processing')
  await world.advance(3_600)
  assert.equal((await payout(world, one.id)).status, 'processing')
  for (const [made, command] of [[one, 'complete'] as const, [two, 'fail'] as const, [three, 'return'] as const])
    assert.equal((await world.post(`/v1/sandbox/payouts/${made.id}/${command}`)).statusCode, 202)
  await reaches(world, one.id, 'completed')
  assert.equal((await reaches(world, two.id, 'failed')).failureReason, 'rejected_by_provider')
  await reaches(world, three.id, 'completed')
  await eventually('it is returned', async () => (await payout(world, three.id)).returnedAt !== null)
})

test('an account that ends in 004 is paid and returned: the source amount comes back, the fee does not', async (t) => {
  const world = await createWorld(t)
  const made = await payTo(world, '0000000004')
  await reaches(world, made.id, 'completed')
  await eventually('it comes back', async () => (await payout(world, made.id)).returnedAt !== null, 30_000)
  const back = await payout(world, made.id)
  assert.deepEqual([back.status, back.returnReason], ['completed', 'account_closed'])
  assert.deepEqual(await wallet(world), { balance: 1_995, heldBalance: 0 })
  const transfer = (await world.get(`/v1/transfers/${back.returnTransferId}`)).json<{ data: Record<string, unknown> }>()
    .data
  assert.deepEqual(
    [transfer['kind'], transfer['reference'], transfer['payoutId'], transfer['sourceAmount'], transfer['status']],
    ['payout_return', `return:${made.id}`, made.id, 1_000, 'completed'],
  )
  assert.deepEqual(
    (await eventsOf(world, made.id)).map(({ type }) => type),
    ['payout.created', 'payout.processing', 'payout.completed', 'transfer.completed'],
  )
})

test('a rail without float leaves the payout processing and says so, and pays once it has some', async (t) => {
  const world = await createWorld(t)
  await behave(world, { hasNoFloat: true })
  t.after(() => behave(world, {}))
  const made = await payTo(world, '0123456789')
  await eventually('it says why', async () => (await payout(world, made.id)).waitingReason === 'rail_float')
  assert.equal((await payout(world, made.id)).status, 'processing')
  assert.equal((await booked(world, made.id)).orders, 0)
  await behave(world, {})
  await world.advance(600)
  const done = await reaches(world, made.id, 'completed')
  assert.equal(done.waitingReason, null)
  assert.deepEqual(await booked(world, made.id), { orders: 1, sends: 1 })
})

test('a command for a payout no provider was told of is refused', async (t) => {
  const world = await createWorld(t)
  assert.equal((await world.post('/v1/sandbox/payouts/01900000-0000-7000-8000-000000000000/fail')).statusCode, 404)
})
