import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectionsConform } from './conformance-collections.ts'
import { payoutsConform } from './conformance-payouts.ts'
import { answersUnknown, type Sent, type SubjectOf } from './conformance-subject.ts'
import {
  capabilities,
  type Capability,
  type CreditPage,
  type NoticeReading,
  type Rail,
  type Reply,
  type VirtualAccountCapability,
} from './rail.ts'

const person = { firstName: 'Ada', lastName: 'Obi', dateOfBirth: '1990-01-31' }

/** The suite every rail must pass, called in the rail's own test with the capabilities it has. */
export function conform(name: string, has: readonly Capability[], subjectOf: SubjectOf): void {
  test(`${name}: it can do what it says, and nothing else`, async () => {
    const { rail } = await subjectOf()
    assert.deepEqual(
      capabilities.filter((capability) => rail[capability] !== undefined),
      capabilities.filter((capability) => has.includes(capability)),
    )
  })
  noticesConform(name, subjectOf)
  if (has.includes('identity')) identityConforms(name, subjectOf)
  if (has.includes('virtualAccounts')) virtualAccountsConform(name, subjectOf)
  if (has.includes('collections')) collectionsConform(name, subjectOf)
  if (has.includes('payouts')) payoutsConform(name, subjectOf)
}

function noticesConform(name: string, subjectOf: SubjectOf): void {
  test(`${name}: a rightly signed notice is read, and read alike twice`, async () => {
    const { rail, notices } = await subjectOf()
    const [first, again] = [read(rail, notices.good), read(rail, notices.good)]
    assert.equal(first.state, 'read')
    assert.deepEqual(first, again)
  })

  test(`${name}: a wrong signature, and a changed body, are not read`, async () => {
    const { rail, notices } = await subjectOf()
    const { headers, body } = notices.good
    assert.deepEqual(rail.readNotice({}, body), { state: 'wrong_signature' })
    const changed = Buffer.from(body)
    changed[changed.length >> 1]! ^= 1
    assert.deepEqual(rail.readNotice(headers, changed), { state: 'wrong_signature' })
    const spoiled = Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, `${value}0`]))
    assert.deepEqual(rail.readNotice(spoiled, body), { state: 'wrong_signature' })
  })

  test(`${name}: a word we do not know fails loudly, and so do bytes that are no notice`, async () => {
    const { rail, notices } = await subjectOf()
    for (const sent of [notices.unknownWord, notices.garbage]) {
      const reading = read(rail, sent)
      assert.ok(reading.state === 'unreadable', `it was ${reading.state}`)
      assert.ok(reading.cause.length > 0 && reading.dedupeKey.length > 0)
    }
  })
}

function read(rail: Rail, { headers, body }: Sent): NoticeReading {
  return rail.readNotice(headers, body)
}

function identityConforms(name: string, subjectOf: SubjectOf): void {
  test(`${name}: an identity matches, does not match, or is not known`, async () => {
    const { rail, identity: values, whileSilent, whileGibbering } = await subjectOf()
    assert(rail.identity && values)
    const verify = (bvn: string) => rail.identity!.verifyBvn({ bvn, ...person })
    assert.deepEqual(await verify(values.matching), { state: 'answered', value: { matches: true } })
    assert.deepEqual(await verify(values.mismatching), { state: 'answered', value: { matches: false } })
    assert.equal((await verify(values.unanswered)).state, 'unknown')
    await answersUnknown(whileSilent, () => verify(values.matching))
    assert.equal((await whileGibbering(() => verify(values.matching))).state, 'unknown', 'an unknown word is no answer')
  })
}

function virtualAccountsConform(name: string, subjectOf: SubjectOf): void {
  const order = (orderId: string) => ({ orderId, accountReference: `reference-${orderId}`, accountName: 'Ada Obi' })

  test(`${name}: the same order of a virtual account twice, and at once, is one account`, async () => {
    const { rail, virtualAccounts: accounts } = await subjectOf()
    assert(rail.virtualAccounts && accounts)
    const orderId = accounts.newOrderId()
    const replies = await Promise.all([1, 2, 3].map(() => rail.virtualAccounts!.open(order(orderId))))
    replies.push(await rail.virtualAccounts.open(order(orderId)))
    for (const reply of replies) assert.deepEqual(reply, replies[0])
    assert.equal(await accounts.countAccounts(orderId), 1)
    assertNumbers(replies[0]!)
    const other = await rail.virtualAccounts.open(order(accounts.newOrderId()))
    assert.notDeepEqual(other, replies[0])
  })

  test(`${name}: a virtual account nobody answers for is unknown, and the same order opens it later`, async () => {
    const { rail, virtualAccounts: accounts, whileSilent, whileGibbering } = await subjectOf()
    assert(rail.virtualAccounts && accounts)
    const orderId = accounts.newOrderId()
    await answersUnknown(whileSilent, () => rail.virtualAccounts!.open(order(orderId)))
    const gibbered = await whileGibbering(() => rail.virtualAccounts!.open(order(orderId)))
    assert.equal(gibbered.state, 'unknown', 'an unknown word is no answer')
    assertNumbers(await rail.virtualAccounts.open(order(orderId)))
    assert.equal(await accounts.countAccounts(orderId), 1)
  })
  test(`${name}: asked what came since a cursor, it tells each credit once, by the name its notice has`, async () => {
    const { rail, virtualAccounts: accounts, whileSilent, whileGibbering } = await subjectOf()
    assert(rail.virtualAccounts && accounts)
    const creditsSince = rail.virtualAccounts.creditsSince
    // Not every provider can be asked.
    if (!creditsSince) return
    const opened = await rail.virtualAccounts.open(order(accounts.newOrderId()))
    assert.ok(opened.state === 'answered')
    const { accountNumber } = opened.value.accounts[0]!
    const paid = [await accounts.pay(accountNumber), await accounts.pay(accountNumber)]
    const told: string[] = []
    let cursor: string | null = null
    for (let hasMore = true; hasMore;) {
      const reply: Reply<CreditPage> = await creditsSince(cursor, 1)
      assert.ok(reply.state === 'answered')
      told.push(...reply.value.credits.flatMap(({ reading }) => referencesOf(reading, accountNumber)))
      ;({ cursor, hasMore } = reply.value)
    }
    assert.deepEqual(told, paid)
    const after = await creditsSince(cursor, 1)
    assert.ok(after.state === 'answered' && after.value.credits.length === 0 && after.value.cursor === cursor)
    await answersUnknown(whileSilent, () => creditsSince(cursor, 1))
    assert.equal((await whileGibbering(() => creditsSince(cursor, 1))).state, 'unknown')
  })
}

function referencesOf(reading: NoticeReading, accountNumber: string): string[] {
  assert.ok(reading.state === 'read' && reading.notice.kind === 'virtual_account_credit')
  const { notice } = reading
  return notice.accountNumber === accountNumber ? [notice.transactionReference] : []
}

function assertNumbers(reply: Awaited<ReturnType<VirtualAccountCapability['open']>>): void {
  assert.ok(reply.state === 'answered' && reply.value.accounts.length > 0)
  for (const { accountNumber, bankCode, bankName, accountName } of reply.value.accounts) {
    assert.match(accountNumber, /^\d{10}$/)
    assert.ok(bankCode && bankName && accountName)
  }
}
