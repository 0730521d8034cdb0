import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCustomer } from '../../../test/customers.ts'
import { creditNotice, sendNotice } from '../../../test/notices.ts'
import { credited, creditEvents, creditsOf, noticesSettled, openAccount, pay } from '../../../test/virtual-accounts.ts'
import { createWorld, eventually, sharedService, type World } from '../../../test/world.ts'
import { statement } from '../../db/sql.ts'

type Stored = { id: string; status: string; kind: string; error: string | null; setAsideAt: Date | null }

function stored({ service: { deps } }: World, dedupeKey: string): Promise<Stored[]> {
  return deps.db.many(
    statement(`select n.id, case when n.status <> 'read' then n.status when q.id is null then 'applied' else 'waiting' end as status,
                      n.kind, n.error, q.set_aside_at as "setAsideAt"
                 from rail_notices n left join rail_notice_queue q on q.id = n.id where n.dedupe_key = $1`),
    [dedupeKey],
  )
}

test('a notice is answered at once and applied by a worker', async (t) => {
  const world = await createWorld(t)
  const account = await openAccount(world)
  const reference = `at-once-${world.organizationId}`
  const answer = await sendNotice(
    world.service,
    'providerB',
    creditNotice(account.accounts[0]!.accountNumber, reference),
  )
  assert.deepEqual([answer.statusCode, answer.json()], [200, { received: true }])
  const [credit] = await credited(world, account, 1)
  assert.equal(credit?.reference, `providerB:${reference}`)
})

test('a wrongly signed notice is not read', async (t) => {
  const world = await createWorld(t)
  const account = await openAccount(world)
  const reference = `forged-${world.organizationId}`
  const notice = creditNotice(account.accounts[0]!.accountNumber, reference)
  const { service } = world
  const forged = [
    await sendNotice(service, 'providerB', notice, { secret: 'guess' }),
    await sendNotice(service, 'providerB', notice, { headers: { 'x-provider-signature': '' } }),
    await sendNotice(service, 'providerB', notice, { headers: { 'x-provider-signature': 'ab'.repeat(32) } }),
    await sendNotice(service, 'providerB', notice, { headers: { 'x-provider-timestamp': '1700000001' } }),
  ]
  assert.deepEqual(new Set(forged.map(({ statusCode }) => statusCode)), new Set([401]))
  assert.equal(forged[0]!.json<{ error: { code: string } }>().error.code, 'signature_invalid')
  assert.deepEqual(await stored(world, `credit:${reference}`), [])
  assert.equal((await sendNotice(service, 'nobody', notice)).statusCode, 404)
})

test('garbage that is rightly signed is kept once for a person, and hurts nothing else', async (t) => {
  const world = await createWorld(t)
  const account = await openAccount(world)
  const { accountNumber } = account.accounts[0]!
  const key = (name: string) => `${name}-${world.organizationId}`
  const garbage: [string, object | string | Buffer][] = [
    ['word', { ...creditNotice(accountNumber, key('word')), event: 'virtual_account.exploded' }],
    ['amount', creditNotice(accountNumber, key('amount'), -5)],
    ['decimals', creditNotice(accountNumber, key('decimals'), 1.001)],
    ['currency', creditNotice(accountNumber, key('currency'), 5, { amount: { value: 5, currency: 'XXX' } })],
    ['account', creditNotice('', key('account'))],
  ]
  for (const [, body] of garbage) {
    for (const _ of [1, 2]) assert.equal((await sendNotice(world.service, 'providerB', body)).statusCode, 200)
  }
  for (const [name] of garbage) {
    const rows = await stored(world, `notice-${key(name)}`)
    assert.deepEqual(
      rows.map(({ status, kind }) => [status, kind]),
      [['unreadable', 'unreadable']],
      name,
    )
    assert.ok(rows[0]!.error)
  }
  for (const bytes of ['', 'null', '{', '[]', Buffer.from([0xff, 0xfe, 0, 0]), '{"id":"\\u0000"}']) {
    assert.equal((await sendNotice(world.service, 'providerB', bytes)).statusCode, 200, String(bytes))
  }
  const nameless = { payerName: 'Bo\0la \ud800' }
  await sendNotice(world.service, 'providerB', creditNotice(accountNumber, key('good'), 100, nameless))
  assert.equal((await credited(world, account, 1))[0]?.customerName, 'Bola \ufffd')
  assert.equal((await sendNotice(world.service, 'providerB', 'x'.repeat(300_000))).statusCode, 413)
})

test('a notice sent many times at once is stored and applied once', async (t) => {
  const world = await createWorld(t)
  const account = await openAccount(world)
  const reference = `many-${world.organizationId}`
  const notice = creditNotice(account.accounts[0]!.accountNumber, reference)
  const answers = await Promise.all(
    // The provider calls each telling of the same fact by another name.
    Array.from({ length: 30 }, (_, n) => sendNotice(world.service, 'providerB', { ...notice, id: `telling-${n}` })),
  )
  assert.ok(answers.every(({ statusCode }) => statusCode === 200))
  await credited(world, account, 1)
  assert.equal((await sendNotice(world.service, 'providerB', notice)).statusCode, 200, 'late, and still the same')
  await noticesSettled(world)
  assert.equal((await creditsOf(world, account)).length, 1)
  assert.equal((await creditEvents(world)).length, 1)
  assert.equal((await stored(world, `credit:${reference}`)).length, 1)
})

test('the same transaction at two providers is two credits', async (t) => {
  const world = await createWorld(t)
  const own = (await world.post('/v1/virtual-accounts', { provider: 'providerA' })).json<{
    data: { id: string; accounts: { accountNumber: string }[] }
  }>().data
  const other = await openAccount(world)
  const reference = `both-${world.organizationId}`
  await sendNotice(world.service, 'providerA', creditNotice(own.accounts[0]!.accountNumber, reference))
  await sendNotice(world.service, 'providerB', creditNotice(other.accounts[0]!.accountNumber, reference))
  await credited(world, own, 1)
  await credited(world, other, 1)
  assert.equal(await world.balance('NGN'), 198)
})

test('a notice a month late is credited at the instant it came', async (t) => {
  const world = await createWorld(t)
  const account = await openAccount(world)
  await world.advance(31 * 24 * 3600)
  await pay(world, account.accounts[0]!.accountNumber, 10)
  const [credit] = await credited(world, account, 1)
  assert.ok(Date.parse(credit!.createdAt) - Date.parse(account.createdAt) >= 31 * 24 * 3600 * 1000)
})

test('money that comes before its account is known here is credited once it is', async (t) => {
  const world = await createWorld(t)
  const customer = await createCustomer(world)
  const reference = `early-${world.organizationId}`
  // What a crash between the provider's answer and our commit leaves: an order, and an account nobody wrote down.
  await world.post(`/v1/customers/${customer.id}/virtual-accounts`)
  const [account] = (await world.get(`/v1/customers/${customer.id}/virtual-accounts`)).json<{
    data: { id: string; accounts: { accountNumber: string }[] }[]
  }>().data
  const { db } = world.service.deps
  await db.transaction(async (tx) => {
    await tx.many(statement('delete from virtual_account_directory where virtual_account_id = $1'), [account!.id])
    await tx.many(statement(`update virtual_accounts set status = 'opening' where id = $1`), [account!.id])
  })
  await sendNotice(world.service, 'providerB', creditNotice(account!.accounts[0]!.accountNumber, reference))
  await eventually(
    'it is nobody’s',
    async () => (await stored(world, `credit:${reference}`))[0]?.status === 'unmatched',
  )
  assert.equal((await world.post(`/v1/customers/${customer.id}/virtual-accounts`)).statusCode, 201)
  await credited(world, account!, 1)
  assert.equal((await stored(world, `credit:${reference}`))[0]?.status, 'applied')
})

test('a notice that cannot be applied is set aside with its error, and the others are applied', async (t) => {
  const world = await createWorld(t)
  const account = await openAccount(world)
  const { accountNumber } = account.accounts[0]!
  const { deps } = world.service
  const poison = `poison-${world.organizationId}`
  await deps.db.transaction(async (tx) => {
    await tx.many(
      statement(`with added as (
                   insert into rail_notices (rail, dedupe_key, id, kind, notice, body, received_at)
                   values ('providerB', $1, $2, 'virtual_account_credit', $3, '', $4) returning id, received_at)
                 insert into rail_notice_queue (id, received_at) select id, received_at from added`),
      [
        poison,
        deps.newId(deps.now()),
        JSON.stringify({ kind: 'virtual_account_credit', amount: { amount: 'much', currency: 'NGN' } }),
        deps.now(),
      ],
    )
  })
  for (let n = 0; n < 5; n += 1) {
    await sendNotice(world.service, 'providerB', creditNotice(accountNumber, `${n}-${world.organizationId}`))
  }
  await credited(world, account, 5)
  await eventually('it is set aside', async () => (await stored(world, poison))[0]?.setAsideAt instanceof Date)
  const errors = await deps.db.many(
    statement<{ error: string }>(`select error from rows_set_aside where worker = 'notices' and resource_id = $1`),
    [(await stored(world, poison))[0]!.id],
  )
  assert.match(errors[0]!.error, /much/)
})

test('a backlog is applied whole, however many batches it takes, around one notice that cannot be applied', async (t) => {
  const world = await createWorld(t)
  const account = await openAccount(world)
  const { deps } = world.service
  const count = 1_600
  await deps.db.transaction(async (tx) => {
    await tx.many(
      statement(`
        with added as (
          insert into rail_notices (rail, dedupe_key, id, kind, notice, body, received_at)
          select 'providerB', 'backlog-' || n || $1, uuid_of($3), 'virtual_account_credit',
                 jsonb_build_object('kind', 'virtual_account_credit', 'dedupeKey', 'x', 'accountNumber', $2::text,
                                    'transactionReference', n || '-' || $1, 'payerName', null, 'payerEmail', null,
                                    'amount', jsonb_build_object('amount', case n when 801 then 'much' else '1000' end, 'currency', 'NGN')),
                 '', $3 from generate_series(1, $4::integer) n returning id, received_at)
        insert into rail_notice_queue (id, received_at) select id, received_at from added`),
      [world.organizationId, account.accounts[0]!.accountNumber, deps.now(), count + 1],
    )
    tx.wake('notices')
  })
  const total = async () =>
    (await world.get(`/v1/virtual-accounts/${account.id}/credits`)).json<{ data: { pagination: { total: number } } }>()
      .data.pagination.total
  await eventually('all others are credited', async () => (await total()) === count, 30_000)
  assert.equal(await world.balance('NGN'), (count * 990) / 100)
  const [poison] = await stored(world, `backlog-801${world.organizationId}`)
  assert.ok(poison?.setAsideAt instanceof Date)
})

test('a rail that is not registered takes no notices', async () => {
  const service = await sharedService()
  assert.equal((await sendNotice(service, 'providerZ', creditNotice('9000000001', 'nobody'))).statusCode, 404)
  assert.equal((await service.app.fastify.inject({ method: 'GET', url: '/rails/providerB/notices' })).statusCode, 405)
})
