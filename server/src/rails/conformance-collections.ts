import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minor } from '../money/money.ts'
import { answersUnknown, eventually, type SubjectOf } from './conformance-subject.ts'

/** The same order twice is one attempt, the same return twice one return; what was ended cannot be paid any more. */
export function collectionsConform(name: string, subjectOf: SubjectOf): void {
  async function subject() {
    const { rail, collections, ...rest } = await subjectOf()
    assert(rail.collections && collections)
    const [method] = rail.collections.methods
    assert(method, 'it offers a way to pay')
    const amount = { amount: minor(method.min.amount + 12_549n), currency: method.currency }
    const order = (orderId: string) => ({
      orderId,
      methodId: method.id,
      amount,
      payee: 'Ada Stores',
      description: null,
      payer: null,
      returnUrl: 'http://localhost/back',
      at: new Date(1_700_000_000_000),
    })
    return { rail: rail.collections, amount, order, ...collections, ...rest }
  }

  test(`${name}: the same collection begun twice, and at once, is one attempt`, async () => {
    const { rail, order, newOrderId, countAttempts } = await subject()
    const orderId = newOrderId()
    const replies = await Promise.all([1, 2, 3].map(() => rail.begin(order(orderId))))
    replies.push(await rail.begin(order(orderId)))
    assert.equal(replies[0]?.state, 'answered')
    for (const reply of replies) assert.deepEqual(reply, replies[0])
    assert.equal(await countAttempts(orderId), 1)
    assert.deepEqual(await rail.ask(orderId), { state: 'answered', value: { state: 'waiting' } })
  })

  test(`${name}: a collection nobody answers for is unknown, and there is one attempt however often it is begun`, async () => {
    const { rail, order, newOrderId, countAttempts, whileSilent } = await subject()
    const orderId = newOrderId()
    await answersUnknown(whileSilent, () => rail.begin(order(orderId)))
    await answersUnknown(whileSilent, () => rail.ask(orderId))
    await answersUnknown(whileSilent, () => rail.void(orderId))
    assert.ok(['answered', 'refused'].includes((await rail.begin(order(orderId))).state))
    assert.equal(await countAttempts(orderId), 1)
  })

  test(`${name}: an attempt that was ended stays ended, also one that arrives after its end`, async () => {
    const { rail, order, newOrderId } = await subject()
    const [begun, late] = [newOrderId(), newOrderId()]
    await rail.begin(order(begun))
    for (const orderId of [begun, late]) {
      const ended = await rail.void(orderId)
      assert.ok(ended.state === 'answered' && ['voided', 'not_found'].includes(ended.value.state))
    }
    assert.equal((await rail.begin(order(late))).state, 'refused')
    assert.deepEqual(await rail.ask(begun), { state: 'answered', value: { state: 'voided' } })
    assert.deepEqual(await rail.ask(newOrderId()), { state: 'answered', value: { state: 'not_found' } })
  })

  test(`${name}: what was received can be sent back, and the same return twice moves it once`, async () => {
    const { rail, amount, order, newOrderId, pay, countReturns } = await subject()
    const [orderId, returnId] = [newOrderId(), newOrderId()]
    await rail.begin(order(orderId))
    await pay(orderId)
    await eventually('it is received', async () => {
      const reply = await rail.ask(orderId)
      return reply.state === 'answered' && reply.value.state === 'received'
    })
    const reply = await rail.ask(orderId)
    assert.ok(reply.state === 'answered' && reply.value.state === 'received')
    assert.deepEqual(reply.value.received, amount)
    const back = () => rail.giveBack({ returnId, orderId, amount })
    const outcomes = [...(await Promise.all([back(), back()])), await back()]
    const references = outcomes.map((one) => ('railReference' in one ? one.railReference : one.state))
    assert.deepEqual(new Set(references).size, 1, references.join())
    assert.equal(await countReturns(returnId), 1)
  })

  test(`${name}: of a collection, a word we do not know is no answer`, async () => {
    const { rail, amount, order, newOrderId, whileGibbering } = await subject()
    const orderId = newOrderId()
    assert.equal((await whileGibbering(() => rail.begin(order(orderId)))).state, 'unknown')
    assert.equal((await whileGibbering(() => rail.ask(orderId))).state, 'unknown')
    assert.equal((await whileGibbering(() => rail.void(orderId))).state, 'unknown')
    assert.equal((await whileGibbering(() => rail.giveBack({ returnId: orderId, orderId, amount }))).state, 'unknown')
  })
}
