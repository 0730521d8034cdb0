import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minor } from '../money/money.ts'
import { answersUnknown, eventually, type SubjectOf } from './conformance-subject.ts'
import type { Destination, PayoutCapability } from './rail.ts'

type Sent = Awaited<ReturnType<PayoutCapability['send']>>

const order = (orderId: string, destination: Destination) => ({
  orderId,
  amount: { amount: minor(125_050n), currency: destination.currency },
  destination,
  narration: 'Invoice 7',
})

/** The same order twice moves money once; silence and unknown words say nothing of it; only a plain no is a no. */
export function payoutsConform(name: string, subjectOf: SubjectOf): void {
  async function subject() {
    const { rail, payouts, ...rest } = await subjectOf()
    assert(rail.payouts && payouts)
    return { rail: rail.payouts, ...payouts, ...rest }
  }

  test(`${name}: the same order to pay twice, and at once, moves money once`, async () => {
    const { rail, newOrderId, good, countOrders } = await subject()
    // A rail that cannot promise this says so, and is never sent an order twice.
    if (!rail.hasIdempotentOrders) return
    const orderId = newOrderId()
    const sent = await Promise.all([1, 2, 3].map(() => rail.send(order(orderId, good))))
    sent.push(await rail.send(order(orderId, good)))
    for (const outcome of sent) assert.equal(referenceOf(outcome), referenceOf(sent[0]!))
    await eventually('it is paid', async () => (await rail.ask(orderId)).state === 'completed')
    assert.equal(referenceOf((await rail.send(order(orderId, good))) as Sent), referenceOf(sent[0]!))
    assert.equal(await countOrders(orderId), 1)
  })

  test(`${name}: an order nobody answers for is unknown, sent or asked about, and paid at most once`, async () => {
    const { rail, newOrderId, good, countOrders, whileSilent } = await subject()
    const orderId = newOrderId()
    await answersUnknown(whileSilent, () => rail.send(order(orderId, good)))
    await answersUnknown(whileSilent, () => rail.ask(orderId))
    assert.notEqual((await rail.ask(orderId)).state, 'rejected')
    assert.ok((await countOrders(orderId)) <= 1)
  })

  test(`${name}: an order that was never made is not there; one that cannot be paid is rejected for a reason`, async () => {
    const { rail, newOrderId, closed } = await subject()
    assert.deepEqual(await rail.ask(newOrderId()), { state: 'not_found' })
    const orderId = newOrderId()
    const sent = await rail.send(order(orderId, closed))
    assert.ok(sent.state === 'pending' || sent.state === 'rejected', sent.state)
    await eventually('it is rejected', async () => (await rail.ask(orderId)).state === 'rejected')
    const outcome = await rail.ask(orderId)
    assert.match(outcome.state === 'rejected' ? outcome.reason : '', /^[a-z_]+$/)
  })

  test(`${name}: of an order, a word we do not know is no answer`, async () => {
    const { rail, newOrderId, good, whileGibbering } = await subject()
    assert.equal((await whileGibbering(() => rail.send(order(newOrderId(), good)))).state, 'unknown')
    assert.equal((await whileGibbering(() => rail.ask(newOrderId()))).state, 'unknown')
  })
}

function referenceOf(outcome: Sent): string {
  assert.ok(outcome.state === 'pending' || outcome.state === 'completed', outcome.state)
  return outcome.railReference
}
