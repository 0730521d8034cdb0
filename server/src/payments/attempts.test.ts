import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askFor, command, paymentIn, quiet, read, reviewItems, visit } from '../../test/payments.ts'
import { createService } from '../../test/service.ts'
import { createWorld, eventually, type World } from '../../test/world.ts'
import type { CollectionStep } from '../rails/rail.ts'
import { commandProvider } from '../sandbox/provider.ts'
import { beginAttempt, comeBack, findVisit, methodsFor, onPaymentChange, openPayment, payerView } from './payer.ts'
import type { Payment } from './schema.ts'

const service = createService({ env: { KOLO_SETTLEMENT_SECONDS: '86400', RAIL_TIMEOUT_MS: '400' } })

async function choose(world: World, payment: Payment, methodId: string, more: object = {}): Promise<CollectionStep> {
  const { deps } = world.service
  return (await beginAttempt(deps, await visit(world, payment), { methodId, ...more })).step
}

/** The payer presses a button at the provider. */
async function press(step: CollectionStep, choice: 'approve' | 'decline' | 'abandon'): Promise<void> {
  assert.equal(step.kind, 'redirect')
  const response = await fetch(`${(step as { url: string }).url}/${choice}`, { method: 'POST', redirect: 'manual' })
  assert.equal(response.status, 303)
}

async function behave(world: World, settings: object): Promise<void> {
  await commandProvider(world.service.deps, '/control', { capability: 'collections', ...settings })
}

const codeOf = (error: unknown) => (error as { code?: string }).code

test('opening the link makes a created payment pending, once', async (t) => {
  const world = await createWorld(t, await service)
  const payment = await askFor(world)
  const { deps } = world.service
  const row = await visit(world, payment)
  const opened = await Promise.all([1, 2, 3].map(() => openPayment(deps, row)))
  assert.deepEqual(
    opened.map(({ status }) => status),
    ['pending', 'pending', 'pending'],
  )
  assert.deepEqual(
    (await read(world, payment)).statusHistory.map(({ status }) => status),
    ['created', 'pending'],
  )
})

test('a link is unknown, too old or replaced; a browser that opened it in time may go on', async (t) => {
  const world = await createWorld(t, await service)
  const { deps } = world.service
  const payment = await askFor(world, { linkExpiresIn: 300 })
  assert.equal((await findVisit(deps, 'A'.repeat(32), undefined)).state, 'unknown')
  assert.equal((await findVisit(deps, 'nonsense', undefined)).state, 'unknown')
  const first = await findVisit(deps, payment.linkToken, undefined)
  assert.equal(first.state, 'visit')
  const cookie = (first as { visitCookie: string }).visitCookie
  const { data } = (await world.post(`/v1/payments/${payment.id}/refresh-link`)).json<{ data: { linkToken: string } }>()
  assert.equal((await findVisit(deps, payment.linkToken, undefined)).state, 'link_too_old')
  assert.equal((await findVisit(deps, payment.linkToken, 'k.forged')).state, 'link_too_old')
  assert.equal((await findVisit(deps, payment.linkToken, cookie)).state, 'visit')
  const other = await askFor(world)
  await world.post(`/v1/payments/${other.id}/refresh-link`)
  assert.equal((await findVisit(deps, other.linkToken, cookie)).state, 'link_too_old', "another payment's cookie")
  assert.equal((await findVisit(deps, data.linkToken, undefined)).state, 'visit')
  await world.advance(86_401)
  assert.equal((await findVisit(deps, data.linkToken, undefined)).state, 'link_too_old')
})

test('paying at the bank: authorising, initiated, executed', async (t) => {
  const world = await createWorld(t, await service)
  const { deps } = world.service
  const payment = await askFor(world, { redirectUrl: 'https://shop.example/done?a=1' })
  assert.deepEqual(
    methodsFor(deps, await visit(world, payment)).map(({ id }) => id),
    ['bank_transfer_ngn', 'pay_by_bank_ngn', 'card_ngn'],
  )
  const step = await choose(world, payment, 'pay_by_bank_ngn')
  assert.equal((await read(world, payment)).status, 'authorising')
  await press(step, 'approve')
  await quiet(world)
  const paid = await read(world, payment)
  assert.equal(paid.status, 'executed')
  assert.deepEqual(
    paid.statusHistory.map(({ status }) => status),
    ['created', 'authorising', 'initiated', 'executed'],
  )
  assert.deepEqual(paid.paymentMethod, { id: 'pay_by_bank_ngn', type: 'pay_by_bank', name: 'Pay by bank' })
  const view = await payerView(deps, await visit(world, payment))
  assert.equal(view.organizationName, 'World')
  assert.equal(view.paidBy, 'Pay by bank')
  const back = new URL(view.redirectUrl!)
  assert.deepEqual(Object.fromEntries(back.searchParams), {
    a: '1',
    paymentId: payment.id,
    reference: payment.reference,
    status: 'executed',
  })
})

test('a bank transfer goes straight to executed', async (t) => {
  const world = await createWorld(t, await service)
  const payment = await askFor(world)
  const step = await choose(world, payment, 'bank_transfer_ngn')
  assert.equal(step.kind, 'transfer')
  await command(world, payment, 'execute')
  assert.deepEqual(
    (await read(world, payment)).statusHistory.map(({ status }) => status),
    ['created', 'authorising', 'executed'],
  )
})

test('mobile money asks for a number and a network of the country, and is approved on the phone', async (t) => {
  const world = await createWorld(t, await service)
  const payment = await askFor(world, { sourceCurrency: 'GHS', sourceAmount: 50 })
  const wrong = { phone: '+2348012345678', operator: 'Nobody' }
  await assert.rejects(
    choose(world, payment, 'mobile_money_ghs', wrong),
    (error) => codeOf(error) === 'invalid_request',
  )
  assert.equal((await read(world, payment)).status, 'created')
  const step = await choose(world, payment, 'mobile_money_ghs', { phone: '024 412 3456', operator: 'MTN' })
  assert.deepEqual(step, { kind: 'prompt', phone: '+233244123456' })
  await eventually('executed', async () => (await read(world, payment)).status === 'executed', 15_000)
})

test('a declined payer may choose again; the tenth decline is final', async (t) => {
  const world = await createWorld(t, await service)
  const payment = await askFor(world)
  for (let declines = 1; declines <= 10; declines += 1) {
    await press(await choose(world, payment, 'card_ngn'), 'decline')
    await quiet(world)
    assert.equal((await read(world, payment)).status, declines < 10 ? 'pending' : 'failed')
  }
  assert.equal((await read(world, payment)).failureReason, 'too_many_attempts')
  const view = await payerView(world.service.deps, await visit(world, payment))
  assert.deepEqual([view.attempt?.state, view.declineReason], ['declined', 'declined_by_payer'])
})

test('a payer who comes back without deciding may choose again, and the old attempt is ended', async (t) => {
  const world = await createWorld(t, await service)
  const { deps } = world.service
  const payment = await askFor(world)
  const step = await choose(world, payment, 'card_ngn')
  assert.equal((await comeBack(deps, await visit(world, payment))).status, 'pending')
  await press(step, 'approve')
  await quiet(world)
  assert.equal((await read(world, payment)).status, 'pending', 'the provider has ended it')
  await press(await choose(world, payment, 'pay_by_bank_ngn'), 'approve')
  await quiet(world)
  assert.equal((await read(world, payment)).status, 'executed')
})

test('two payers on one link: one pays, the other is told, nobody is charged twice', async (t) => {
  const world = await createWorld(t, await service)
  const payment = await askFor(world)
  const steps = await Promise.allSettled([
    choose(world, payment, 'card_ngn'),
    choose(world, payment, 'pay_by_bank_ngn'),
    choose(world, payment, 'card_ngn'),
  ])
  const begun = steps.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  assert.ok(begun.length > 0)
  await Promise.all(begun.map((step) => press(step, 'approve')))
  await quiet(world)
  assert.equal((await read(world, payment)).status, 'executed')
  assert.deepEqual(await reviewItems(world), [])
})

test('an attempt nobody decides about lapses, and the payer may choose again', async (t) => {
  const world = await createWorld(t, await service)
  const payment = await askFor(world)
  await choose(world, payment, 'card_ngn')
  await world.advance(31 * 60)
  assert.equal((await read(world, payment)).status, 'pending')
  const view = await payerView(world.service.deps, await visit(world, payment))
  assert.equal(view.attempt?.state, 'lapsed')
})

test('a provider that does not answer is not asked a second time to charge', async (t) => {
  const world = await createWorld(t, await service)
  const payment = await askFor(world)
  t.after(() => behave(world, { slowMs: 0 }))
  await behave(world, { slowMs: 600 })
  await assert.rejects(
    choose(world, payment, 'card_ngn'),
    (error) => codeOf(error) === 'collection_provider_unavailable',
  )
  assert.equal((await read(world, payment)).status, 'authorising')
  await assert.rejects(
    choose(world, payment, 'card_ngn'),
    (error) => codeOf(error) === 'collection_provider_unavailable',
  )
  await behave(world, { slowMs: 0 })
  // The breaker leaves a silent provider alone for a moment.
  await eventually('the provider is asked again', async () => {
    return (await choose(world, payment, 'card_ngn').catch(() => undefined)) !== undefined
  })
  assert.equal((await read(world, payment)).status, 'authorising')
})

test('a notice may come before the answer of the call that caused it', async (t) => {
  const world = await createWorld(t, await service)
  const payment = await askFor(world)
  t.after(() => behave(world, { slowMs: 0 }))
  await behave(world, { slowMs: 250 })
  const choosing = choose(world, payment, 'card_ngn')
  await eventually('the order is committed', async () => (await visit(world, payment)).status === 'authorising')
  await behave(world, { slowMs: 0 })
  await command(world, payment, 'execute')
  await choosing.catch(() => undefined)
  assert.equal((await read(world, payment)).status, 'executed')
})

test('reading asks the provider, shared and not more often than every 5 s, and answers from the books when it is silent', async (t) => {
  const world = await createWorld(t, await service)
  await commandProvider(world.service.deps, '/control', { capability: 'notices', losesNotices: true })
  t.after(() => commandProvider(world.service.deps, '/control', { capability: 'notices', losesNotices: false }))
  const payment = await askFor(world)
  const step = await choose(world, payment, 'card_ngn')
  await press(step, 'approve')
  await eventually('the provider has received it', async () => {
    await world.advance(6)
    return (await Promise.all([1, 2, 3].map(() => read(world, payment)))).every(({ status }) => status === 'executed')
  })
  const synced = await read(world, payment)
  assert.ok(synced.syncedAt)
  await behave(world, { isDown: true })
  t.after(() => behave(world, { isDown: false }))
  await world.advance(6)
  assert.equal((await read(world, payment)).syncedAt, synced.syncedAt)
})

test('a page hears of changes of its payment', async (t) => {
  const world = await createWorld(t, await service)
  const payment = await askFor(world)
  let heard = 0
  const stop = onPaymentChange(world.service.deps, world.organizationId, payment.id, () => (heard += 1))
  await command(world, payment, 'initiate')
  await eventually('it has heard', () => heard > 0)
  stop()
})

test('an initiated payment is asked about, and after 7 days of silence it is before a person', async (t) => {
  const world = await createWorld(t, await service)
  const payment = await paymentIn(world, 'initiated')
  await world.advance(7 * 86_400 + 60)
  assert.equal((await read(world, payment)).status, 'initiated')
  const [item] = await reviewItems(world)
  assert.deepEqual([item?.kind, item?.status, item?.resourceId], ['unanswered_payment', 'open', payment.id])
  await command(world, payment, 'execute')
  assert.equal((await reviewItems(world))[0]?.status, 'resolved')
})
