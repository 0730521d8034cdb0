import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { test } from 'node:test'
import { statement } from '../../src/db/sql.ts'
import { countOf } from '../counts.ts'
import { startKolo, type KoloProcess } from '../process.ts'
import { generator } from '../seeds.ts'
import { createService, type TestService } from '../service.ts'
import { creditEvents, creditsOf, differencesOfBooks, noticesSettled, openAccount, pay } from '../virtual-accounts.ts'
import { createWorld } from '../world.ts'

// One credit per transfer, however often it is told and whoever dies while it is applied.

const SEEDS = countOf({ test: 5, long: 15, soak: 60 })
const TRANSFERS = 40
const faultPoints = ['credits.written', 'credits.posted', 'notices.committed'] as const

/** A real worker process on the service's database; dies at a fault point where one is named. */
function startWorker({ databaseUrl, deps }: TestService, faultPoint?: string): Promise<KoloProcess> {
  return startKolo({
    dataDir: deps.config.dataDir,
    role: 'worker',
    env: {
      DATABASE_URL: databaseUrl,
      KOLO_WORKER_SILENCE_MS: '1000',
      ...(faultPoint && { KOLO_FAULT_POINT: faultPoint }),
    },
  })
}

test('a transfer told three times across two workers, one of them killed, is one credit and one event', async (t) => {
  // The machine may be busy with other tests: nobody gives up on the provider here.
  const service = await createService({ roles: ['api', 'simulator'], env: { RAIL_TIMEOUT_MS: '30000' } })
  const survivor = await startWorker(service)
  for (let round = 0; round < SEEDS; round += 1) {
    const seed = Number(process.env['KOLO_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
    t.diagnostic(`seed ${seed}`)
    const random = generator(seed)
    const world = await createWorld(t, service)
    const account = await openAccount(world)
    const { accountNumber } = account.accounts[0]!
    const isTimed = random() < 0.4
    const victim = await startWorker(service, isTimed ? undefined : faultPoints[Math.floor(random() * 3)])
    const transfers = Array.from({ length: TRANSFERS }, (_, n) => ({
      amount: (100 + Math.floor(random() * 1_000_000)) / 100,
      transactionReference: `${seed}-${n}-${world.organizationId}`,
    }))
    const tellings = [...transfers, ...transfers, ...transfers].map(({ amount, transactionReference }) =>
      pay(world, accountNumber, amount, { transactionReference }),
    )
    const dying = isTimed
      ? pause(random() * 300).then(() => victim.end('SIGKILL'))
      : // It may find nothing to do before the other has done it all; then it dies at the next credit it gets.
        Promise.race([once(victim.child, 'exit'), pause(3_000)])
    await Promise.all([...tellings, dying])
    await noticesSettled(world)
    if (victim.child.exitCode === null && victim.child.signalCode === null) await victim.end('SIGKILL')
    await check(seed, world, account, transfers)
  }
  await survivor.end('SIGKILL')
})

async function check(
  seed: number,
  world: Awaited<ReturnType<typeof createWorld>>,
  account: { id: string },
  transfers: readonly { amount: number; transactionReference: string }[],
): Promise<void> {
  const says = `seed ${seed}`
  const credits = await creditsOf(world, account)
  const references = (list: readonly { transactionReference: string }[]) =>
    list.map(({ transactionReference }) => transactionReference).toSorted()
  assert.deepEqual(references(credits), references(transfers), says)
  assert.deepEqual(references((await creditEvents(world)).map(({ data }) => data)), references(transfers), says)
  assert.deepEqual(await differencesOfBooks(world, world.organizationId), [], says)
  const kobo = credits.reduce((sum, { netAmount }) => sum + Math.round(netAmount * 100), 0)
  assert.equal(Math.round((await world.balance('NGN')) * 100), kobo, says)
}

test('a process that dies between the provider and our books leaves no second account', async () => {
  const service = await createService({ roles: ['simulator'] })
  const { dataDir } = service.deps.config
  const start = (faultPoint?: string) =>
    startKolo({
      dataDir,
      role: 'api',
      env: {
        DATABASE_URL: service.databaseUrl,
        PORT: '0',
        KOLO_LOG_LEVEL: 'fatal',
        ...(faultPoint && { KOLO_FAULT_POINT: faultPoint }),
      },
    })
  const open = (process: KoloProcess, provider: string) => process.call('POST', '/v1/virtual-accounts', { provider })
  await assert.rejects(open(await start('virtual_account.ordered'), 'providerA'))
  await assert.rejects(open(await start('virtual_account.opened_at_provider'), 'providerB'))
  const living = await start()
  const listed = async () => (await (await living.call('GET', '/v1/virtual-accounts')).json()) as { data: unknown[] }
  assert.deepEqual(await listed(), { data: [] })
  for (const provider of ['providerA', 'providerB']) assert.equal((await open(living, provider)).status, 201)
  assert.equal((await listed()).data.length, 2)
  const orders = statement<{ count: number }>('select count(*)::integer as count from simulator.virtual_account_orders')
  assert.equal((await service.deps.db.one(orders)).count, 2, 'asked again, the same orders were sent')
  await living.end('SIGKILL')
})
