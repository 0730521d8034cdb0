import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { statement } from '../../src/db/sql.ts'
import type { FaultPoint } from '../../src/fault-point.ts'
import { beginAttempt } from '../../src/payments/payer.ts'
import { countOf } from '../counts.ts'
import { askFor, owner, read, reviewItems, visit, wallet, type Payment } from '../payments.ts'
import { startKolo, type KoloProcess } from '../process.ts'
import { createService } from '../service.ts'
import { behave } from '../simulator.ts'
import { createWorld, eventually, type World } from '../world.ts'

// Processes are killed as if the power had failed, at a chosen place or at a chosen moment, while payers pay, providers
// tell and the clock moves. Every payment then comes to the end it would have come to, and the provider's own book
// agrees with ours, order by order.

/** In the order a payment comes by them; where one is passed before the commit, the next worker finds the same work. */
const points: readonly FaultPoint[] = [
  'payment.announced',
  'payment.facts_applied',
  'notices.committed',
  'payment.settling',
  'payment.settled',
  'payment.settlement_committed',
  'payment.answered',
  'payment.answers_committed',
  'payment.ended_at_rail',
  'payment.endings_committed',
  'payment.expired',
  'payment.expiry_committed',
]

const dataDir = mkdtempSync(join(tmpdir(), 'kolo-payments-'))
after(() => rmSync(dataDir, { recursive: true, force: true }))

/** The API and the provider here; who dies is a process of its own on the same database and the same data folder. */
const serving = createService({
  roles: ['api', 'simulator'],
  env: { KOLO_DATA_DIR: dataDir, KOLO_DATABASE_WAIT_MS: '60000' },
})

function start(world: World, role: 'api' | 'worker', faultPoint?: FaultPoint): Promise<KoloProcess> {
  const env = {
    DATABASE_URL: world.service.databaseUrl,
    KOLO_WORKER_SILENCE_MS: '1000',
    ...(faultPoint && { KOLO_FAULT_POINT: faultPoint }),
  }
  return startKolo({ dataDir, role, env })
}

/** What becomes of a payment, and how it gets there. */
const fates = {
  paid: 'settled',
  rejected: 'failed',
  forgotten: 'expired',
  /** Begun at the provider and never approved. */
  begun: 'expired',
  /** The same, with time enough to lapse before the payment expires. */
  lapsed: 'expired',
  /** Paid at the provider, who told nobody: found out when it is about to expire. */
  lastMoment: 'settled',
  /** Accepted, then paid, of which nobody was told: found out by asking. */
  unheard: 'settled',
  /** Paid after it was cancelled. */
  late: 'cancelled',
} as const
type Fate = keyof typeof fates
type Fated = { readonly fate: Fate; readonly payment: Payment }

const kinds = Object.keys(fates) as Fate[]

async function furnish(world: World, count: number): Promise<Fated[]> {
  const fated: Fated[] = []
  for (let n = 0; n < count; n += 1) {
    const fate = kinds[n % kinds.length]!
    const expiresIn = fate === 'lapsed' ? 2_000 : ['paid', 'unheard'].includes(fate) ? 86_400 : 300
    const payment = await askFor(world, { sourceAmount: 100 + n, expiresIn, linkExpiresIn: 300 })
    fated.push({ fate, payment })
  }
  for (const { fate, payment } of fated) await tellFirst(world, fate, payment)
  await told(world)
  await behave(world, 'notices', { losesNotices: true })
  for (const { fate, payment } of fated) {
    if (fate === 'lastMoment' || fate === 'unheard') await command(world, payment, 'execute')
  }
  await told(world)
  await behave(world, 'notices', {})
  return fated
}

async function tellFirst(world: World, fate: Fate, payment: Payment): Promise<void> {
  if (fate === 'paid') await command(world, payment, 'execute')
  if (fate === 'rejected') await command(world, payment, 'fail')
  if (fate === 'unheard') await command(world, payment, 'initiate')
  if (fate === 'begun' || fate === 'lapsed' || fate === 'lastMoment') {
    await beginAttempt(world.service.deps, await visit(world, payment), { methodId: 'pay_by_bank_ngn' })
  }
  if (fate === 'late') {
    assert.equal((await world.post(`/v1/payments/${payment.id}/cancel`)).statusCode, 200)
    await command(world, payment, 'execute')
  }
}

async function command(world: World, { id }: Payment, step: string): Promise<void> {
  const response = await world.post(`/v1/sandbox/payments/${id}/${step}`)
  assert.equal(response.statusCode, 202, response.body)
}

const unsentSql = statement<{ unsent: number }>(
  'select count(*)::integer as unsent from simulator.notices where sent_at is null',
)

/** Waits until the provider has told, or forgotten to tell, everything. Nobody has listened yet. */
async function told({ service }: World): Promise<void> {
  await eventually('the provider has told', async () => (await service.deps.db.one(unsentSql)).unsent === 0)
}

/** Everything that has an end comes to it meanwhile. */
const LONG_SECONDS = 2_100

/** Lets a worker that lives bring everything to its end. */
async function bringHome(world: World, fated: readonly Fated[], moving: ReturnType<World['advance']>): Promise<void> {
  const worker = await start(world, 'worker')
  try {
    await moving
    await eventually(
      'every payment has come to its end',
      async () => {
        const reached = await Promise.all(fated.map(({ payment }) => read(world, payment)))
        return reached.every(({ status }) => ['settled', 'failed', 'expired', 'cancelled'].includes(status))
      },
      60_000,
    )
  } finally {
    await worker.kill()
  }
}

type Compared = { orderId: string; theirs: string; ours: string | null; received: string | null; receipts: string }

/** The provider's orders beside our attempts, and the money each says came for them. */
function compare({ service, organizationId }: World): Promise<Compared[]> {
  const text = `
    select c.order_id as "orderId", case when c.finishes_at <= clock_timestamp() then 'received' else c.status end as theirs, a.status as ours, (case when c.finishes_at <= clock_timestamp() then c.amount else coalesce(c.received, 0) end * 100)::bigint::text as received,
           (select coalesce(sum(r.amount), 0)::text from payment_receipts r
             where r.organization_id = a.organization_id and r.order_id = a.id) as receipts
      from payment_attempts a full join simulator.collections c on c.order_id = a.id::text
     where a.organization_id = $1 or a.id is null`
  return service.deps.db.many(statement<Compared>(text), [organizationId])
}

async function assertAgreement(world: World, fated: readonly Fated[]): Promise<void> {
  let net = 0
  for (const { fate, payment } of fated) {
    const { status, netAmount } = await read(world, payment)
    assert.equal(status, fates[fate], `${fate}: ${payment.id}`)
    if (status === 'settled') net += Math.round(netAmount * 100)
  }
  for (const order of await compare(world)) {
    assert.deepEqual([order.ours, order.receipts], [order.theirs, order.received], JSON.stringify(order))
  }
  const { balance, pendingBalance } = await wallet(world)
  assert.deepEqual([Math.round(balance * 100), pendingBalance], [net, 0])
  const late = fated.filter(({ fate }) => fate === 'late').map(({ payment }) => payment.id)
  const items = (await reviewItems(world)).map(({ kind, resourceId }) => `${kind} ${resourceId}`)
  assert.deepEqual(items.toSorted(), late.map((id) => `late_payment ${id}`).toSorted())
}

test('workers that die at each point, one after the other, neither lose a payment nor take one twice', async (t) => {
  const world = await createWorld(t, await serving)
  const fated = await furnish(world, 2 * kinds.length)
  const moving = world.advance(LONG_SECONDS)
  for (const point of points) {
    const worker = await start(world, 'worker', point)
    await Promise.race([worker.ended, tooLate(`a worker dies at ${point}`)])
  }
  await bringHome(world, fated, moving)
  await assertAgreement(world, fated)
})

async function tooLate(what: string): Promise<never> {
  await pause(30_000, undefined, { ref: false })
  throw new Error(`not in time: ${what}`)
}

for (const point of ['return.sent', 'return.recorded'] as const) {
  test(`a worker that dies at ${point} sends money back once`, async (t) => {
    const world = await createWorld(t, await serving)
    const payment = await askFor(world)
    await tellFirst(world, 'late', payment)
    const living = await start(world, 'worker')
    await eventually('the money is in suspense', async () => (await reviewItems(world)).length === 1)
    await living.kill()
    const [item] = await reviewItems(world)
    const answer = await world.post(
      `/v1/review-items/${item!.id}/resolve`,
      { action: 'return', note: 'late' },
      await owner(world),
    )
    assert.equal(answer.statusCode, 202, answer.body)
    await (
      await start(world, 'worker', point)
    ).ended
    const worker = await start(world, 'worker')
    await eventually('it is back', async () => {
      await world.advance(60)
      return (await reviewItems(world))[0]?.status === 'resolved'
    })
    await worker.kill()
    const returnsSql = statement<{ count: number; amount: number }>(`
      select count(*)::integer as count, sum(r.amount)::float8 as amount from simulator.collection_returns r
        join payment_attempts a on a.id::text = r.order_id where a.organization_id = $1`)
    const returned = await world.service.deps.db.one(returnsSql, [world.organizationId])
    assert.deepEqual(returned, { count: 1, amount: 5_000 })
  })
}

for (const point of ['payment.ordered', 'payment.begun_at_rail'] as const) {
  test(`an API that dies at ${point} leaves a payment that can be paid, once`, async (t) => {
    const world = await createWorld(t, await serving)
    const payment = await askFor(world, { expiresIn: 86_400 })
    const dying = await start(world, 'api', point)
    const page = await fetch(`${dying.origin}/pay/${payment.linkToken}`)
    const cookie = page.headers.get('set-cookie')!.split(';', 1)[0]!
    const choosing = fetch(`${dying.origin}/pay/${payment.linkToken}/attempts`, {
      method: 'POST',
      headers: { cookie, origin: dying.origin },
      body: new URLSearchParams({ methodId: 'pay_by_bank_ngn' }),
    })
    await assert.rejects(choosing)
    const worker = await start(world, 'worker')
    await world.advance(61)
    assert.equal((await read(world, payment)).status, 'pending')
    const again = await beginAttempt(world.service.deps, await visit(world, payment), { methodId: 'pay_by_bank_ngn' })
    const { url } = again.step as { url: string }
    await fetch(`${url}/approve`, { method: 'POST', redirect: 'manual' })
    await eventually('it is paid', async () => (await read(world, payment)).status === 'executed')
    await worker.kill()
    const orders = await compare(world)
    assert.deepEqual(orders.map(({ theirs }) => theirs).toSorted(), ['received', 'voided'])
    assert.ok(orders.every(({ ours, theirs }) => ours === theirs))
  })
}

test('an API that dies before a payment is committed leaves nothing; asked again it makes one', async (t) => {
  const world = await createWorld(t, await serving)
  const dying = await start(world, 'api', 'payment.created')
  const [headers, body] = [
    { authorization: `Bearer ${world.apiKey}`, 'content-type': 'application/json', 'idempotency-key': 'once' },
    JSON.stringify({ reference: 'order-1', sourceCurrency: 'NGN', sourceAmount: 5_000 }),
  ]
  await assert.rejects(fetch(`${dying.origin}/api/v1/payments`, { method: 'POST', headers, body }))
  const total = async () =>
    (await world.get('/v1/payments')).json<{ data: { pagination: { total: number } } }>().data.pagination.total
  assert.equal(await total(), 0)
  assert.equal((await world.post('/v1/payments', body, headers)).statusCode, 201)
  assert.equal((await world.post('/v1/payments', body, headers)).headers['idempotent-replayed'], 'true')
  assert.equal(await total(), 1)
})

const seeds = countOf({ test: 5, long: 15, soak: 50 })
const first = Number(process.env['KOLO_TEST_SEED'] ?? Math.floor(Math.random() * 1_000_000))

for (let seed = first; seed < first + seeds; seed += 1) {
  test(`workers killed at moments of seed ${seed} leave every payment where it belongs`, async (t) => {
    t.diagnostic(`KOLO_TEST_SEED=${seed}`)
    const world = await createWorld(t, await serving)
    const random = generator(seed)
    const fated = await furnish(world, 2 * kinds.length)
    const moving = world.advance(LONG_SECONDS)
    for (let kills = 1 + Math.floor(random() * 2); kills > 0; kills -= 1) {
      const worker = await start(world, 'worker')
      await pause(random() * 600)
      await worker.kill()
    }
    await bringHome(world, fated, moving)
    await assertAgreement(world, fated)
  })
}

/** Mulberry32: the same numbers for the same seed. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
