import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createService, type TestService } from '../../test/service.ts'
import { behave } from '../../test/simulator.ts'
import { credited, creditEvents, creditsOf, noticesSettled, openAccount, pay } from '../../test/virtual-accounts.ts'
import { createWorld, eventually, type World } from '../../test/world.ts'
import { statement } from '../db/sql.ts'

// Providers forget to tell. They are asked often here, and tell nothing by themselves.

let service: Promise<TestService> | undefined

async function forgetful(t: TestContext): Promise<World> {
  service ??= createService({ env: { KOLO_CREDIT_QUESTION_MS: '100' } })
  const world = await createWorld(t, await service)
  await behave(world, 'notices', { losesNotices: true })
  t.after(() => behave(world, 'notices', {}))
  return world
}

test('a credit whose notice never comes is asked for, and a notice that comes late changes nothing', async (t) => {
  const world = await forgetful(t)
  const account = await openAccount(world)
  const { accountNumber } = account.accounts[0]!
  const transactionReference = await pay(world, accountNumber, 200, { customerName: 'Bola Ade' })
  const [credit] = await credited(world, account, 1)
  assert.deepEqual([credit?.transactionReference, credit?.netAmount], [transactionReference, 198])
  assert.equal(credit?.customerName, 'Bola Ade')
  await behave(world, 'notices', {})
  await pay(world, accountNumber, 200, { transactionReference, customerName: 'Bola Ade' })
  await noticesSettled(world)
  assert.equal((await creditsOf(world, account)).length, 1)
  assert.equal((await creditEvents(world)).length, 1)
  assert.equal(await world.balance('NGN'), 198)
})

test('a provider that was away is asked for everything since, page by page', async (t) => {
  const world = await forgetful(t)
  const account = await openAccount(world, 'many@example.com')
  const { accountNumber } = account.accounts[0]!
  await behave(world, 'virtualAccounts', { isDown: true })
  t.after(() => behave(world, 'virtualAccounts', {}))
  const count = 1_201
  await world.service.deps.db.transaction((tx) =>
    tx.many(
      statement(`
        insert into simulator.virtual_account_credits (provider, transaction_reference, account_number, amount, currency, facts)
        select 'providerB', r, $1, 10, 'NGN',
               jsonb_build_object('accountNumber', $1::text, 'transactionReference', r, 'amount', '{"value": 10, "currency": "NGN"}'::jsonb)
          from (select 'away-' || $1 || '-' || n as r from generate_series(1, $2::integer) n) t`),
      [accountNumber, count],
    ),
  )
  await behave(world, 'virtualAccounts', {})
  const total = async () =>
    (await world.get(`/v1/virtual-accounts/${account.id}/credits`)).json<{ data: { pagination: { total: number } } }>()
      .data.pagination.total
  await eventually('all are credited', async () => (await total()) === count, 30_000)
  assert.equal(await world.balance('NGN'), (count * 990) / 100)
})
