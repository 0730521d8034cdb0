import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  creditEvents,
  credited,
  creditsOf,
  differencesOfBooks,
  noticesSettled,
  openAccount,
  pay,
} from '../../test/virtual-accounts.ts'
import { createWorld } from '../../test/world.ts'
import type { Entry } from '../wallets/schema.ts'

test('a credit is split into fee and net, in the wallet, the statement, the list and the event', async (t) => {
  const world = await createWorld(t)
  const account = await openAccount(world)
  const { accountNumber } = account.accounts[0]!
  const transactionReference = await pay(world, accountNumber, 1234.56, { customerName: 'Bola Ade' })
  const [credit] = await credited(world, account, 1)
  const told = {
    virtualAccountId: account.id,
    accountReference: account.accountReference,
    accountNumber,
    entityType: 'customer',
    entityId: account.entityId,
    provider: 'providerB',
    transactionReference,
    reference: `providerB:${transactionReference}`,
    grossAmount: 1234.56,
    // 1 %, rounded up to the kobo.
    feeAmount: 12.35,
    netAmount: 1222.21,
    currency: 'NGN',
    customerName: 'Bola Ade',
  }
  const { id, createdAt, ...rest } = credit!
  assert.deepEqual(rest, { ...told, customerEmail: null })
  const [event] = await creditEvents(world)
  assert.deepEqual(event?.data, told)
  assert.equal(await world.balance('NGN'), 1222.21)
  const { entries } = (await world.get('/v1/wallets/NGN/entries')).json<{ data: { entries: Entry[] } }>().data
  assert.deepEqual(
    entries.map(({ kind, direction, amount, balanceAfter, resourceId, reference, createdAt: at }) => {
      return { kind, direction, amount, balanceAfter, resourceId, reference, at }
    }),
    [
      { kind: 'virtual_account_fee', direction: 'debit', amount: 12.35, balanceAfter: 1222.21 },
      { kind: 'virtual_account_credit', direction: 'credit', amount: 1234.56, balanceAfter: 1234.56 },
    ].map((entry) => ({ ...entry, resourceId: id, reference: told.reference, at: createdAt })),
  )
})

test('the fee has a ceiling of 300 naira, and a kobo is all fee', async (t) => {
  const world = await createWorld(t)
  const account = await openAccount(world)
  const { accountNumber } = account.accounts[0]!
  await pay(world, accountNumber, 1_000_000)
  await credited(world, account, 1)
  await pay(world, accountNumber, 0.01)
  const [small, large] = await credited(world, account, 2)
  assert.deepEqual([large?.feeAmount, large?.netAmount], [300, 999_700])
  assert.deepEqual([small?.feeAmount, small?.netAmount], [0.01, 0])
  assert.equal(await world.balance('NGN'), 999_700)
})

test('what the provider says of the payer is told; what it does not say is left out', async (t) => {
  const world = await createWorld(t)
  const account = await openAccount(world)
  const { accountNumber } = account.accounts[0]!
  await pay(world, accountNumber, 5)
  await credited(world, account, 1)
  await pay(world, accountNumber, 5, { customerName: 'Bola', customerEmail: 'bola@x.ng' })
  await credited(world, account, 2)
  const [named, nameless] = await creditEvents(world)
  assert.deepEqual([named?.data.customerName, named?.data.customerEmail], ['Bola', 'bola@x.ng'])
  assert.ok(nameless && !('customerName' in nameless.data) && !('customerEmail' in nameless.data))
})

test('a transfer told three times at once is one credit, one event and one movement', async (t) => {
  const world = await createWorld(t)
  const account = await openAccount(world)
  const { accountNumber } = account.accounts[0]!
  const transactionReference = `thrice-${world.organizationId}`
  await Promise.all([1, 2, 3].map(() => pay(world, accountNumber, 100, { transactionReference })))
  await noticesSettled(world)
  assert.equal((await creditsOf(world, account)).length, 1)
  assert.equal((await creditEvents(world)).length, 1)
  assert.equal(await world.balance('NGN'), 99)
  assert.deepEqual(await differencesOfBooks(world, world.organizationId), [])
})

test('a transaction of one account is not one of another', async (t) => {
  const world = await createWorld(t)
  const [one, two] = [await openAccount(world, '1@x.ng'), await openAccount(world, '2@x.ng')]
  const transactionReference = await pay(world, one.accounts[0]!.accountNumber, 100)
  const path = `/v1/sandbox/virtual-accounts/${two.accounts[0]!.accountNumber}/credits`
  const refused = await world.post(path, { amount: 100, transactionReference })
  assert.deepEqual(
    [refused.statusCode, refused.json<{ error: { code: string } }>().error.code],
    [422, 'sandbox_refused'],
  )
  await credited(world, one, 1)
})

test('money for a deactivated customer still arrives', async (t) => {
  const world = await createWorld(t)
  const account = await openAccount(world)
  await world.delete(`/v1/customers/${account.entityId}`)
  await pay(world, account.accounts[0]!.accountNumber, 50)
  assert.equal((await credited(world, account, 1))[0]?.netAmount, 49.5)
})

test("money into the organization's own account names the organization, at any bank of it", async (t) => {
  const world = await createWorld(t)
  const opened = await world.post('/v1/virtual-accounts', { provider: 'providerA' })
  const { data } = opened.json<{ data: { id: string; accounts: { accountNumber: string }[] } }>()
  for (const { accountNumber } of data.accounts) await pay(world, accountNumber, 10)
  const credits = await credited(world, data, data.accounts.length)
  for (const credit of credits) {
    assert.deepEqual([credit.entityType, credit.entityId], ['organization', world.organizationId])
    assert.ok(credit.reference.startsWith('providerA:'))
  }
  assert.equal(new Set(credits.map(({ accountNumber }) => accountNumber)).size, data.accounts.length)
})

test('300 credits of many accounts are all in the books, and both books agree', async (t) => {
  const world = await createWorld(t)
  const accounts = [await openAccount(world, '1@x.ng'), await openAccount(world, '2@x.ng')]
  const amounts = Array.from({ length: 300 }, (_, n) => n + 1)
  const lanes = Array.from({ length: 10 }, (_, lane) => amounts.filter((amount) => amount % 10 === lane))
  await Promise.all(
    lanes.map(async (lane) => {
      for (const amount of lane) await pay(world, accounts[amount % 2]!.accounts[0]!.accountNumber, amount)
    }),
  )
  await noticesSettled(world)
  assert.deepEqual(await differencesOfBooks(world, world.organizationId), [])
  const net = amounts.reduce((sum, amount) => sum + amount * 100 - amount, 0)
  assert.equal(await world.balance('NGN'), net / 100)
})

test('a credit command is checked before the provider hears of it', async (t) => {
  const [world, other] = [await createWorld(t), await createWorld(t)]
  const { accountNumber } = (await openAccount(world)).accounts[0]!
  const path = `/v1/sandbox/virtual-accounts/${accountNumber}/credits`
  for (const amount of [0, -1, '5', 1.001, 1e15, null]) {
    assert.equal((await world.post(path, { amount })).statusCode, 400, String(amount))
  }
  assert.equal((await world.post(path, {})).statusCode, 400)
  assert.equal((await world.post(path, { amount: 1, transactionReference: 'a b' })).statusCode, 400)
  assert.equal((await other.post(path, { amount: 1 })).statusCode, 404, "another organization's account")
  assert.equal((await world.post('/v1/sandbox/virtual-accounts/abc/credits', { amount: 1 })).statusCode, 404)
})
