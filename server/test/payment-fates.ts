import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { statement } from '../src/db/sql.ts'
import type { FaultPoint } from '../src/fault-point.ts'
import { beginAttempt } from '../src/payments/payer.ts'
import { askFor, read, reviewItems, visit, wallet, type Payment } from './payments.ts'
import { startKolo, type KoloProcess } from './process.ts'
import { createService } from './service.ts'
import { behave } from './simulator.ts'
import { eventually, type World } from './world.ts'

// Processes are killed as if the power had failed, at a chosen place or at a chosen moment, while payers pay, providers
// tell and the clock moves. Every payment then comes to the end it would have come to, and the provider's own book
// agrees with ours, order by order.

const dataDir = mkdtempSync(join(tmpdir(), 'kolo-payments-'))
after(() => rmSync(dataDir, { recursive: true, force: true }))

/** The API and the provider here; who dies is a process of its own on the same database and the same data folder. */
export const serving = createService({
  roles: ['api', 'simulator'],
  env: { KOLO_DATA_DIR: dataDir, KOLO_DATABASE_WAIT_MS: '60000' },
})

export function start(world: World, role: 'api' | 'worker', faultPoint?: FaultPoint): Promise<KoloProcess> {
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

export const kinds = Object.keys(fates) as Fate[]

export async function furnish(world: World, count: number): Promise<Fated[]> {
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

export async function tellFirst(world: World, fate: Fate, payment: Payment): Promise<void> {
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
export const LONG_SECONDS = 2_100

/** Lets a worker that lives bring everything to its end. */
export async function bringHome(
  world: World,
  fated: readonly Fated[],
  moving: ReturnType<World['advance']>,
): Promise<void> {
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
export function compare({ service, organizationId }: World): Promise<Compared[]> {
  const text = `
    select c.order_id as "orderId", case when c.finishes_at <= clock_timestamp() then 'received' else c.status end as theirs, a.status as ours, (case when c.finishes_at <= clock_timestamp() then c.amount else coalesce(c.received, 0) end * 100)::bigint::text as received,
           (select coalesce(sum(r.amount), 0)::text from payment_receipts r
             where r.organization_id = a.organization_id and r.order_id = a.id) as receipts
      from payment_attempts a full join simulator.collections c on c.order_id = a.id::text
     where a.organization_id = $1 or a.id is null`
  return service.deps.db.many(statement<Compared>(text), [organizationId])
}

export async function assertAgreement(world: World, fated: readonly Fated[]): Promise<void> {
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
