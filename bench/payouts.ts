import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Agent, request } from 'undici'
import { createOrganization } from '../server/src/organizations/operations.ts'
import { addApiKey } from '../server/src/api-keys/operations.ts'
import { ensurePartitions } from '../server/src/db/partitions.ts'
import { statement } from '../server/src/db/sql.ts'
import type { Actor } from '../server/src/http/authentication.ts'
import { createPayouts } from '../server/src/payouts/operations/bulk.ts'
import { payoutCreation } from '../server/src/payouts/operations/create.ts'
import type { Rail } from '../server/src/rails/rail.ts'
import { createRails } from '../server/src/rails/registry.ts'
import { startService, type Core } from '../server/src/service.ts'
import { fundWallet } from '../server/src/wallets/operations.ts'
import type { BenchContext } from './context.ts'

const SECONDS = 3
const ROUNDS = 3
const LANES = 32
const WALLETS = 50
const BULK = 1_000
/** Enough for twenty seconds at the rate that has to be kept. */
const TO_SEND = 10_000

type Payer = { readonly organizationId: string; readonly payoutAccountId: string; readonly actor: Actor }

/** Single payouts beside a bare insert, bulks beside the baseline, and how fast they go out to a rail that answers at once. */
export async function run(context: BenchContext): Promise<void> {
  const rail = await startRail()
  try {
    const plain = await context.core()
    const deps = { ...plain.deps, rails: createRails([rail.rail], plain.deps.metrics) }
    // The frame closes it: a service that stops before that leaves it open.
    const core: Core = { ...plain, deps, close: async () => undefined }
    await ensurePartitions(core.db, core.deps.now())
    const payers: Payer[] = []
    for (let made = 0; made < WALLETS; made += 1) payers.push(await createPayer(core, made))
    const isWanted = (part: string) => context.words.length === 0 || context.words.includes(part)
    if (isWanted('singles')) await measureSingles(context, core, payers)
    if (isWanted('bulk')) await measureBulk(context, core, payers[0]!)
    if (isWanted('sending')) await measureSending(context, core, payers)
  } finally {
    await rail.close()
  }
}

async function createPayer({ deps, db }: Core, number: number): Promise<Payer> {
  const { organizationId } = await createOrganization(deps, `Bench ${number}`)
  const wish = { name: 'bench', scopes: ['*'], expiresAt: null, actor: { type: 'operator' } } as const
  const { id } = await deps.db.transaction((tx) => addApiKey(deps, tx, organizationId, wish))
  for (let funded = 0; funded < 5; funded += 1) await fundWallet(deps, organizationId, 'NGN', 80_000_000_000)
  const payoutAccountId = randomUUID()
  await db.many(
    statement(`insert into payout_accounts (organization_id, id, account_type, account_number, account_name, bank_code, currency, country,
                                            destination_key, created_at, updated_at)
               values ($1, $2, 'bank_account', '0123456789', 'OBI ADA', '058', 'NGN', 'NG', 'bench', $3, $3)`),
    [organizationId, payoutAccountId, deps.now()],
  )
  return { organizationId, payoutAccountId, actor: { type: 'key', id, scopes: ['*'], madeBy: null, ip: '127.0.0.1' } }
}

async function measureSingles(context: BenchContext, core: Core, payers: readonly Payer[]): Promise<void> {
  const bareSql = statement(`insert into bare_payouts (id, reference, amount, currency, account, status, created_at)
                             values ($1, $2, $3, $4, $5, 'pending', $6) returning id`)
  await core.db.many(
    statement(`create table bare_payouts (id uuid primary key, reference text not null unique, amount bigint not null,
                                          currency text not null, account uuid not null, status text not null, created_at timestamptz not null)`),
  )
  const bare = async () => {
    const values = [randomUUID(), randomUUID(), 100_000n, 'NGN', payers[0]!.payoutAccountId, core.deps.now()]
    await core.db.many(bareSql, values)
    return 1
  }
  const createPayout = payoutCreation()
  const pay = async (among: number) => {
    const payer = payers[Math.floor(Math.random() * among)]!
    const wish = { reference: randomUUID(), payoutAccountId: payer.payoutAccountId, sourceAmount: 1_000 }
    await createPayout(core.deps, payer.organizationId, payer.actor, wish)
    return 1
  }
  const rates: number[][] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    rates.push([
      await context.perSecond(SECONDS, LANES, bare),
      await context.perSecond(SECONDS, LANES, () => pay(WALLETS)),
      await context.perSecond(SECONDS, LANES, () => pay(1)),
    ])
  }
  const mean = (column: number) => rates.reduce((sum, row) => sum + row[column]!, 0) / rates.length
  context.figure({ name: 'a bare insert', value: mean(0), unit: 'rows/s' })
  for (const [name, column, bar] of [
    ['create on 50 wallets', 1, 0.12],
    ['create on one wallet', 2, 0.08],
  ] as const) {
    const to = 'a bare insert'
    context.figure({ name, value: mean(column), unit: 'payouts/s', ratio: mean(column) / mean(0), to })
    context.bar(`${name}: at least ${bar} of a bare insert`, (ratioOf) => {
      return { isMet: ratioOf(name) >= bar, says: ratioOf(name).toFixed(2) }
    })
  }
}

async function measureBulk(context: BenchContext, core: Core, payer: Payer): Promise<void> {
  const rates: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    await context.baseline()
    rates.push(await context.perSecond(SECONDS, 2, () => bulk(core, payer, BULK)))
  }
  const value = rates.reduce((sum, rate) => sum + rate, 0) / rates.length
  const name = `bulk of ${BULK} on one wallet`
  context.figure({ name, value, unit: 'payouts/s', perBaseline: true })
  context.bar(`${name}: at least 1 payout per baseline transaction`, (ratioOf) => {
    return { isMet: ratioOf(name) >= 1, says: ratioOf(name).toFixed(2) }
  })
}

async function bulk(core: Core, payer: Payer, count: number): Promise<number> {
  const items = Array.from({ length: count }, () => {
    const wish = { reference: randomUUID(), payoutAccountId: payer.payoutAccountId, sourceAmount: 1_000 }
    return { reference: wish.reference, wish }
  })
  return (await createPayouts(core.deps, payer.organizationId, payer.actor, items)).accepted
}

/** The payouts made so far are put away; new ones of all wallets go out while the process's memory is watched. */
async function measureSending(context: BenchContext, core: Core, payers: readonly Payer[]): Promise<void> {
  await core.db.many(statement(`update payouts set set_aside_at = created_at where status = 'pending'`))
  for (const payer of payers) await bulk(core, payer, TO_SEND / WALLETS)
  const countSql = statement<{ done: number }>(
    `select count(*)::integer as done from payouts where status = 'completed' and set_aside_at is null`,
  )
  const service = await startService(core, ['worker'])
  const startedAt = performance.now()
  let liveAtFirst: number | undefined
  for (let done = 0; done < TO_SEND;) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    done = (await core.db.one(countSql)).done
    if (done >= TO_SEND / 4) liveAtFirst ??= liveMebibytes()
  }
  const value = TO_SEND / ((performance.now() - startedAt) / 1000)
  const grown = liveMebibytes() - liveAtFirst!
  await service.stop()
  context.figure({ name: 'sending to a local rail', value, unit: 'payouts/s' })
  context.figure({ name: 'live memory at the end beyond that after a quarter', value: grown, unit: 'MiB' })
  context.bar('the sending worker keeps 500 payouts/s to a local rail', () => {
    return { isMet: value >= 500, says: `${Math.round(value)}` }
  })
  context.bar('its memory stays flat', () => ({ isMet: grown < 8, says: `${grown.toFixed(1)} MiB` }))
}

/** What is still reachable after everything else has been collected. */
function liveMebibytes(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  return process.memoryUsage().heapUsed / 2 ** 20
}

/** A provider on this machine that pays at once: one small answer over HTTP. */
async function startRail(): Promise<{ rail: Rail; close(): Promise<void> }> {
  const server = createServer((incoming, outgoing) => {
    incoming.resume().once('end', () => {
      outgoing.setHeader('content-type', 'application/json').end(JSON.stringify({ railReference: randomUUID() }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const dispatcher = new Agent({ connections: 256 })
  const send: NonNullable<Rail['payouts']>['send'] = async ({ orderId, amount }) => {
    const body = JSON.stringify({ orderId, amount: amount.amount.toString(), currency: amount.currency })
    const answer = await request(origin, { method: 'POST', body, dispatcher })
    const { railReference } = (await answer.body.json()) as { railReference: string }
    return { state: 'completed', railReference, completedAt: new Date() }
  }
  return {
    rail: {
      name: 'local',
      payouts: { hasIdempotentOrders: true, send, ask: async () => ({ state: 'not_found' }) },
      readNotice: () => ({ state: 'wrong_signature' }),
    },
    async close() {
      await dispatcher.close()
      server.close()
    },
  }
}
