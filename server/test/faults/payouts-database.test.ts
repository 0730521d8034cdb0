import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { statement } from '../../src/db/sql.ts'
import { claimPending } from '../../src/payouts/operations/send.ts'
import { insertOrdersSql } from '../../src/payouts/order-store.ts'
import { account, booked, pay, reaches } from '../payouts.ts'
import { createProxy } from '../proxy.ts'
import { createService } from '../service.ts'
import { MASTER_KEY } from '../webhooks.ts'
import { createWorld, eventually } from '../world.ts'

/** Longer than these tests take: nobody gives the worker up, so that it has to help itself. */
const patient = { KOLO_MASTER_KEY: MASTER_KEY, KOLO_LOG_LEVEL: 'fatal', KOLO_WORKER_SILENCE_MS: '120000' }

/** Proxies end after the services that go through them. */
const endings: (() => Promise<void>)[] = []
after(async () => {
  for (const end of endings) await end()
})

test('a payout whose claim was committed and whose answer was lost is sent all the same, once', async (t) => {
  const api = await createService({ roles: ['api', 'simulator'], env: patient })
  const proxy = await createProxy(api.databaseUrl)
  endings.push(proxy.close)
  const world = await createWorld(t, api)
  await world.fund('NGN', 10_000)
  const { id: payoutAccountId } = await account(world)
  const lost = proxy.loseCommitAfter(insertOrdersSql)
  await createService({ databaseUrl: proxy.url, roles: ['worker'], env: patient })
  const { id } = await pay(world, { payoutAccountId, sourceAmount: 100 })
  await lost
  await reaches(world, id, 'completed')
  assert.deepEqual(await booked(world, id), { orders: 1, sends: 1 })
})

test('a payout claimed by a process nobody knows any more is asked about, and sent when the rail has no such order', async (t) => {
  const api = await createService({ roles: ['api', 'simulator'], env: patient })
  const world = await createWorld(t, api)
  await world.fund('NGN', 10_000)
  const { id: payoutAccountId } = await account(world)
  const { id } = await pay(world, { payoutAccountId, sourceAmount: 100 })
  // A process that was stopped while its claim was on the way: it was given up, and only then was the claim committed.
  const gone = randomUUID()
  assert.equal((await claimPending({ ...api.deps, processId: () => gone, happened: async () => {} }, 1)).length, 1)
  await createService({ databaseUrl: api.databaseUrl, roles: ['worker'], env: patient })
  await world.advance(300)
  await reaches(world, id, 'completed')
  assert.deepEqual(await booked(world, id), { orders: 1, sends: 1 })
})

test('a command for an order the built-in provider is just taking is obeyed', async (t) => {
  const api = await createService({ roles: ['api', 'simulator'], env: patient })
  const world = await createWorld(t, api)
  await world.fund('NGN', 10_000)
  const { id: payoutAccountId } = await account(world)
  const { id } = await pay(world, { payoutAccountId, sourceAmount: 100 })
  const { db } = api.deps
  const commanded = await db.transaction(async (tx) => {
    await tx.many(statement('select pg_advisory_xact_lock(hashtextextended($1, 0))'), [id])
    await tx.many(
      statement(`insert into simulator.payout_orders (order_id, rail_reference, amount, currency, account_number, notice_url, taken_at)
                 values ($1, $1, 100, 'NGN', '0000000003', 'http://127.0.0.1:1', clock_timestamp())`),
      [id],
    )
    const answer = world.post(`/v1/sandbox/payouts/${id}/fail`)
    const waiting = statement<{ count: number }>(
      `select count(*)::integer as count from pg_stat_activity where wait_event = 'advisory' and datname = current_database()`,
    )
    await eventually('the command waits', async () => (await db.one(waiting)).count === 1)
    return { answer }
  })
  assert.equal((await commanded.answer).statusCode, 202)
  const ending = statement<{ ending: string }>('select ending from simulator.payout_orders where order_id = $1')
  assert.equal((await db.one(ending, [id])).ending, 'failed')
})
