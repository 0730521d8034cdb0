import { randomUUID } from 'node:crypto'
import { fastify as createFastify } from 'fastify'
import pg from 'pg'
import { createOrganization } from '../server/src/organizations/operations.ts'
import type { BenchContext } from './context.ts'
import { answersPerSecond, type Load } from './load.ts'
import { fillPayments } from './payment-lists.ts'

/** Short rounds in turns: what else the machine does hits both sides, and the median leaves out where it hit one. */
const SECONDS = 1
const ROUNDS = 9
const CONNECTIONS = 32

/** Creating, reading and listing payments, each beside a bare Fastify with one statement, in turns in the same run. */
export async function run(context: BenchContext): Promise<void> {
  const service = await context.service({ roles: ['api'] })
  const origin = await service.app.fastify.listen({ host: '127.0.0.1', port: 0 })
  const { organizationId, apiKey } = await createOrganization(service.deps, 'Bench')
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const pool = new pg.Pool({ connectionString: service.databaseUrl, max: 16 })
  const bare = await createBare(pool, organizationId)
  try {
    await listen(origin, organizationId, headers)
    const settled = await settledPayment(pool, origin, organizationId, headers)
    await measureAgainstBare(context, { origin, bare: bare.origin, headers, settled })
  } finally {
    await bare.close()
    await pool.end()
  }
}

type Headers = Readonly<Record<string, string>>
type Pair = { readonly name: string; readonly bar: number; readonly ours: Load; readonly bare: Load }

async function measureAgainstBare(
  context: BenchContext,
  { origin, bare, headers, settled }: { origin: string; bare: string; headers: Headers; settled: string },
): Promise<void> {
  const common = { connections: CONNECTIONS, seconds: SECONDS }
  const body = JSON.stringify({
    reference: '{unique}',
    sourceCurrency: 'NGN',
    sourceAmount: 5000,
    description: 'Bench',
  })
  const json = { 'content-type': 'application/json' }
  const post = { ...common, method: 'POST', body } as const
  const get = { ...common, method: 'GET' } as const
  const keyed = { ...headers, 'idempotency-key': '{unique}' }
  const pairs: Pair[] = [
    {
      name: 'read a settled one',
      bar: 0.6,
      ours: { ...get, origin, path: `/api/v1/payments/${settled}`, headers },
      bare: { ...get, origin: bare, path: `/payments/${settled}`, headers: {} },
    },
    {
      name: 'list page',
      bar: 0.4,
      ours: { ...get, origin, path: '/api/v1/payments', headers },
      bare: { ...get, origin: bare, path: '/payments', headers: {} },
    },
    {
      name: 'create',
      bar: 0.2,
      ours: { ...post, origin, path: '/api/v1/payments', headers: keyed },
      bare: { ...post, origin: bare, path: '/payments', headers: json },
    },
  ]
  const wanted = pairs.filter(({ name }) => context.words.every((word) => name.startsWith(word)))
  for (const { name, bar, ours, bare: beside } of wanted) {
    const rates: { ours: number; bare: number }[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      rates.push({ bare: await answersPerSecond(beside), ours: await answersPerSecond(ours) })
    }
    const ratio = median(rates.map((rate) => rate.ours / rate.bare))
    context.figure({ name: `${name}, bare`, value: median(rates.map((rate) => rate.bare)), unit: 'answers/s' })
    context.figure({ name, value: median(rates.map((rate) => rate.ours)), unit: 'answers/s', ratio, to: 'bare' })
    context.bar(`${name} at least ${bar} of bare`, (ratioOf) => {
      return { isMet: ratioOf(name) >= bar, says: ratioOf(name).toFixed(2) }
    })
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}

/** One endpoint that every event matches. */
async function listen(origin: string, organizationId: string, headers: Headers): Promise<void> {
  const response = await fetch(`${origin}/api/organizations/${organizationId}/webhooks`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ url: 'http://127.0.0.1:9/' }),
  })
  if (response.status !== 201) throw new Error(await response.text())
}

async function settledPayment(
  pool: pg.Pool,
  origin: string,
  organizationId: string,
  headers: Headers,
): Promise<string> {
  await fillPayments(pool, organizationId, 2_000)
  const response = await fetch(`${origin}/api/v1/payments?status=settled&limit=1`, { headers })
  const { data } = (await response.json()) as { data: { payments: { id: string }[] } }
  return data.payments[0]!.id
}

/** What everything is compared with: the same framework, the same driver, one table, one statement. */
async function createBare(pool: pg.Pool, organizationId: string): Promise<{ origin: string; close(): Promise<void> }> {
  await pool.query(`create table bare_payments (
    id uuid primary key, reference text not null, amount bigint not null, currency text not null, description text,
    status text not null, created_at timestamptz not null)`)
  await pool.query(`insert into bare_payments
    select id, reference, source_amount, source_currency, description, status, created_at from payments limit 2000`)
  const app = createFastify()
  app.post<{ Body: { reference: string; sourceAmount: number; sourceCurrency: string; description: string } }>(
    '/payments',
    async ({ body }, reply) => {
      const { rows } = await pool.query({
        name: 'insert',
        text: `insert into bare_payments values ($1, $2, $3, $4, $5, 'created', clock_timestamp()) returning id, reference, amount, currency, description, status, created_at`,
        values: [randomUUID(), body.reference, body.sourceAmount * 100, body.sourceCurrency, body.description],
      })
      return reply.code(201).send({ data: shown(rows[0]) })
    },
  )
  app.get<{ Params: { id: string } }>('/payments/:id', async ({ params }) => {
    const { rows } = await pool.query({
      name: 'one',
      text: `${selected} where organization_id = $1 and id = $2`,
      values: [organizationId, params.id],
    })
    return { data: shown(rows[0]) }
  })
  app.get('/payments', async () => {
    const { rows } = await pool.query({
      name: 'page',
      text: `${selected} where organization_id = $1 order by id desc limit 20`,
      values: [organizationId],
    })
    return { data: rows.map(shown) }
  })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  return { origin, close: () => app.close() }
}

const selected = `select id, reference, source_amount, source_currency, target_amount, target_currency, exchange_rate, status,
  fee_amount, customer_id, description, metadata, redirect_url, link_token, link_expires_at, expires_at, synced_at,
  created_by, created_at, updated_at from payments`

function shown(row: Record<string, unknown> | undefined): object {
  return Object.fromEntries(
    Object.entries(row ?? {}).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
  )
}
