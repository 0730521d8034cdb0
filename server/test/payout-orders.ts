import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { statement } from '../src/db/sql.ts'
import { account, reference } from './payouts.ts'
import { startKolo, type KoloProcess } from './process.ts'
import { createService } from './service.ts'
import { eventually, type World } from './world.ts'

// Workers are killed as if the power had failed, at a chosen place or at a chosen moment, while payouts go out. The
// provider's own book then shows each order at most once, and ours agrees with it.

/** What is paid, fails, is taken in silence, and comes back. */
const numbers = ['0123456789', '1111111111', '0000000001', '0000000002', '2222222222']

const dataDir = mkdtempSync(join(tmpdir(), 'kolo-payouts-'))
after(() => rmSync(dataDir, { recursive: true, force: true }))

/** The API and the provider here, workers in processes of their own on the same database and the same data folder. */
export const serving = createService({
  roles: ['api', 'simulator'],
  env: { KOLO_DATA_DIR: dataDir, KOLO_DATABASE_WAIT_MS: '60000' },
})

export async function startWorker(world: World, env: Record<string, string> = {}): Promise<KoloProcess> {
  const { databaseUrl } = world.service
  const quick = { KOLO_WORKER_SILENCE_MS: '1000', RAIL_TIMEOUT_MS: '400' }
  return startKolo({ dataDir, role: 'worker', env: { DATABASE_URL: databaseUrl, ...quick, ...env } })
}

export async function furnish(world: World, count: number): Promise<void> {
  await world.fund('NGN', 1_000_000)
  const accounts = await Promise.all(numbers.map((number) => account(world, number)))
  const payouts = Array.from({ length: count }, (_, n) => ({
    reference: reference(),
    payoutAccountId: accounts[n % accounts.length]!.id,
    sourceAmount: 100 + n,
  }))
  const made = await world.post('/v1/payouts/bulk', { payouts })
  assert.equal(made.json<{ data: { accepted: number } }>().data.accepted, count, made.body.slice(0, 300))
}

type Compared = { id: string; status: string; orders: number; sends: number; ending: string | null }

/** Our payouts beside the orders of the provider's book. */
function compare({ service, organizationId }: World): Promise<Compared[]> {
  const text = `
    select p.id, p.status, count(o.order_id)::integer as orders, coalesce(max(o.sends), 0) as sends, max(o.ending) as ending
      from payouts p left join simulator.payout_orders o on o.order_id = p.id::text
     where p.organization_id = $1 group by p.id, p.status order by p.id`
  return service.deps.db.many(statement<Compared>(text), [organizationId])
}

/** Lets a worker bring everything to its end, moving the clock over what is only asked about later. */
export async function bringHome(world: World): Promise<void> {
  const worker = await startWorker(world)
  try {
    await eventually(
      'every payout has come to its end',
      async () => {
        await world.advance(30)
        return (await compare(world)).every(({ status }) => status === 'completed' || status === 'failed')
      },
      90_000,
    )
  } finally {
    await worker.kill()
  }
}

export async function assertAgreement(world: World): Promise<void> {
  const rows = await compare(world)
  for (const row of rows) {
    assert.deepEqual([row.orders, row.ending], [1, row.status], JSON.stringify(row))
    assert(row.sends === 1, `an order was sent ${row.sends} times: ${row.id}`)
  }
  const text = `select count(*)::integer as orders from simulator.payout_orders o
                 where not exists (select from payouts p where p.id::text = o.order_id)`
  const { orders } = await world.service.deps.db.one(statement<{ orders: number }>(text))
  assert.equal(orders, 0, 'the provider has orders nobody made')
}
