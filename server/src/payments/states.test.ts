import assert from 'node:assert/strict'
import { test } from 'node:test'
import { command, eventsOf, paymentIn, quiet, read, reviewItems, wallet } from '../../test/payments.ts'
import { createService } from '../../test/service.ts'
import { createWorld } from '../../test/world.ts'
import { paymentMoves, paymentStatuses, type PaymentStatus } from './states.ts'

// Nothing settles by itself here, so that every state can be looked at.
const service = createService({ env: { KOLO_SETTLEMENT_SECONDS: '86400' } })

/** Where each of the provider's words leads from each status; a status that is not listed stays. */
const words: Readonly<Record<string, Partial<Record<PaymentStatus, PaymentStatus>>>> = {
  authorise: { created: 'authorising', pending: 'authorising' },
  initiate: { created: 'initiated', pending: 'initiated', authorising: 'initiated' },
  execute: { created: 'executed', pending: 'executed', authorising: 'executed', initiated: 'executed' },
  settle: { executed: 'settled' },
  fail: { created: 'failed', pending: 'failed', authorising: 'failed', initiated: 'failed' },
}

for (const [word, leads] of Object.entries(words)) {
  for (const from of paymentStatuses) {
    const to = leads[from] ?? from
    test(`${word}: ${from} ${to === from ? 'stays' : `becomes ${to}`}`, async (t) => {
      const world = await createWorld(t, await service)
      const payment = await paymentIn(world, from)
      const before = await eventsOf(world, payment)
      await command(world, payment, word)
      const after = await read(world, payment)
      assert.equal(after.status, to)
      const told = (await eventsOf(world, payment)).slice(before.length)
      const expected = to === from ? 'silent' : (paymentMoves[from] as Record<string, string>)[to]
      assert.deepEqual(
        told.map(({ type }) => type),
        expected === 'silent' ? [] : [expected],
      )
      assert.deepEqual(
        after.statusHistory.map(({ status }) => status),
        [...payment.statusHistory.map(({ status }) => status), ...(to === from ? [] : [to])],
      )
      const isLate = word === 'execute' && ['failed', 'cancelled', 'expired'].includes(from)
      assert.deepEqual(
        (await reviewItems(world)).map(({ kind }) => kind),
        isLate ? ['late_payment'] : [],
      )
    })
  }
}

test('previousStatus is the last announced status, never a silent one; optional fields are left out', async (t) => {
  const world = await createWorld(t, await service)
  const payment = await paymentIn(world, 'authorising')
  for (const word of ['initiate', 'execute', 'settle']) await command(world, payment, word)
  const told = await eventsOf(world, payment)
  assert.deepEqual(
    told.map(({ type, data }) => [type, data['status'], data['previousStatus']]),
    [
      ['payment.created', 'created', undefined],
      ['payment.initiated', 'initiated', 'created'],
      ['payment.executed', 'executed', 'initiated'],
      ['payment.settled', 'settled', 'executed'],
    ],
  )
  const fields = ['id', 'reference', 'sourceAmount', 'sourceCurrency', 'targetAmount', 'targetCurrency', 'exchangeRate']
  assert.deepEqual(Object.keys(told[0]!.data), [...fields, 'status'])
  assert.deepEqual(Object.keys(told[3]!.data), [...fields, 'status', 'previousStatus'])
})

for (const from of paymentStatuses) {
  const isOpen = ['created', 'pending', 'authorising'].includes(from)

  test(`cancelling: ${from} ${isOpen ? 'becomes cancelled' : from === 'cancelled' ? 'is answered again' : 'is refused'}`, async (t) => {
    const world = await createWorld(t, await service)
    const payment = await paymentIn(world, from)
    const response = await world.post(`/v1/payments/${payment.id}/cancel`)
    if (isOpen || from === 'cancelled') {
      assert.equal(response.statusCode, 200, response.body)
      assert.equal(response.json<{ data: { status: string } }>().data.status, 'cancelled')
      const told = (await eventsOf(world, payment)).map(({ type }) => type)
      assert.deepEqual(told, ['payment.created', 'payment.cancelled'])
      const reached = (await read(world, payment)).statusHistory.map(({ status }) => status)
      const before = payment.statusHistory.map(({ status }) => status)
      assert.deepEqual(reached, from === 'cancelled' ? before : [...before, 'cancelled'])
    } else {
      assert.equal(response.statusCode, 409)
      assert.equal(response.json<{ error: { code: string } }>().error.code, 'payment_not_cancellable')
      assert.equal((await read(world, payment)).status, from)
    }
  })

  test(`a new link: ${from} ${isOpen ? 'gets one' : 'is refused one'}`, async (t) => {
    const world = await createWorld(t, await service)
    const payment = await paymentIn(world, from)
    const response = await world.post(`/v1/payments/${payment.id}/refresh-link`)
    if (isOpen) {
      assert.equal(response.statusCode, 200, response.body)
      const { data } = response.json<{ data: Record<string, string> }>()
      assert.deepEqual(Object.keys(data), ['paymentId', 'linkToken', 'paymentLink', 'linkExpiresAt'])
      assert.notEqual(data['linkToken'], payment.linkToken)
      assert.equal(data['linkExpiresAt'], payment.expiresAt)
      assert.equal((await read(world, payment)).linkToken, data['linkToken'])
    } else {
      assert.equal(response.statusCode, 409)
      assert.equal(response.json<{ error: { code: string } }>().error.code, 'payment_not_open')
    }
  })

  test(`its time is over: ${from} ${isOpen ? 'expires' : 'stays'}`, async (t) => {
    const world = await createWorld(t, await service)
    const payment = await paymentIn(world, from)
    const before = await eventsOf(world, payment)
    await world.advance(302)
    const after = await read(world, payment)
    assert.equal(after.status, isOpen ? 'expired' : from)
    const told = (await eventsOf(world, payment)).slice(before.length)
    assert.equal(told.length, isOpen ? 1 : 0)
    if (!isOpen) return
    assert.equal(after.failureReason, 'payment_expired')
    assert.equal(after.statusHistory.length, payment.statusHistory.length + 1)
    const { type, data } = told[0]!
    assert.deepEqual(
      [type, data['status'], data['previousStatus'], data['failureReason']],
      ['payment.failed', 'expired', 'created', 'payment_expired'],
    )
  })
}

test('the magic amount is accepted and then rejected', async (t) => {
  const world = await createWorld(t, await service)
  for (const [sourceCurrency, sourceAmount] of [['NGN', 100.01] as const, ['UGX', 5001] as const]) {
    const payment = await paymentIn(world, 'created', { sourceCurrency, sourceAmount })
    await command(world, payment, 'execute')
    const failed = await read(world, payment)
    assert.deepEqual([failed.status, failed.failureReason], ['failed', 'declined_by_provider'])
    assert.deepEqual(
      failed.statusHistory.map(({ status }) => status),
      ['created', 'initiated', 'failed'],
    )
  }
})

test('execution brings the target amount into the pending balance, at the rate of the creation', async (t) => {
  const world = await createWorld(t, await service)
  const payment = await paymentIn(world, 'executed', { sourceCurrency: 'USD', targetCurrency: 'NGN', sourceAmount: 20 })
  assert.deepEqual(
    [(await wallet(world)).pendingBalance, (await wallet(world, 'USD')).pendingBalance],
    [payment.targetAmount, 0],
  )
  await command(world, payment, 'settle')
  const { balance, pendingBalance } = await wallet(world)
  assert.deepEqual([balance, pendingBalance], [payment.netAmount, 0])
})

test('a settlement told before the receipt settles when the money is there', async (t) => {
  const world = await createWorld(t, await service)
  const payment = await paymentIn(world, 'created')
  await command(world, payment, 'settle')
  assert.equal((await read(world, payment)).status, 'created')
  await command(world, payment, 'execute')
  await quiet(world)
  await world.advance(1)
  assert.equal((await read(world, payment)).status, 'settled')
})
