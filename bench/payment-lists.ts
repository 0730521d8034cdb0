import pg from 'pg'
import { createOrganization } from '../server/src/organizations/operations.ts'
import type { BenchContext } from './context.ts'

const TRIES = 150
const PAGE = 20
const SMALL = 10_000
const LARGE = 1_000_000
const STATUSES = ['settled', 'expired', 'created', 'failed']
const CUSTOMERS = 100

/** Writes payments of an organization straight into their table: settled, expired, created and failed in turn. */
export async function fillPayments(pool: pg.Pool, organizationId: string, upTo: number): Promise<void> {
  await pool.query(
    `with made as (
       insert into payments (organization_id, id, reference, status, announced_status, failure_reason, source_amount, source_currency,
                             target_amount, target_currency, exchange_rate, rate_source, rate_as_of, fee_amount, customer_id,
                             link_token, link_expires_at, expires_at, executed_at, settlement_id, created_by, created_at, updated_at)
       select $1, uuid_of(at), 'fill-' || n, status, status,
              case status when 'failed' then 'declined_by_provider' when 'expired' then 'payment_expired' end,
              500000, 'NGN', 500000, 'NGN', 1, 'same-currency', at, 7500,
              md5('customer' || n % $4)::uuid, md5(n::text), at, at + interval '1 year',
              case status when 'settled' then at end, case status when 'settled' then $1::uuid end, $1, at, at
         from (select n, ($3::text[])[1 + n % 4] as status, timestamptz '2026-01-01' + n * interval '1 second' as at
                 from generate_series((select count(*) from payments where organization_id = $1) + 1, $2::bigint) n) t
       returning organization_id, id, status, created_at)
     insert into status_history (organization_id, resource_id, number, resource_type, status, at)
     select organization_id, id, 1, 'payment', status, created_at from made`,
    [organizationId, upTo, STATUSES, CUSTOMERS],
  )
  await pool.query('vacuum analyze payments, status_history')
}

type Headers = Readonly<Record<string, string>>

/** The first and the deepest page by cursor, plain and by each filter, at ten thousand payments and at a million. */
export async function run(context: BenchContext): Promise<void> {
  const service = await context.service({ roles: ['api'] })
  const origin = await service.app.fastify.listen({ host: '127.0.0.1', port: 0 })
  const { organizationId, apiKey } = await createOrganization(service.deps, 'Bench')
  const pool = new pg.Pool({ connectionString: service.databaseUrl, max: 2 })
  const headers = { authorization: `Bearer ${apiKey}` }
  const measured = new Map<number, Map<string, number>>()
  try {
    for (const size of [SMALL, LARGE]) {
      const startedAt = performance.now()
      await fillPayments(pool, organizationId, size)
      process.stderr.write(`${size} payments after ${Math.round((performance.now() - startedAt) / 1000)} s\n`)
      measured.set(size, await measurePages(pool, organizationId, `${origin}/api/v1/payments`, headers))
    }
  } finally {
    await pool.end()
  }
  for (const [name, ms] of measured.get(LARGE)!) {
    const small = measured.get(SMALL)!.get(name)!
    const figure = `page by cursor with a million payments: ${name}`
    context.figure({ name: figure, value: ms, unit: 'ms', ratio: ms / small, to: 'ten thousand' })
    context.bar(`${figure}, at most twice that with ten thousand`, (ratioOf) => {
      const ratio = ratioOf(figure)
      return { isMet: ratio <= 2, says: ratio.toFixed(2) }
    })
  }
}

/** The filters of the query, and what each means in the table. */
const filters = {
  plain: { query: '', condition: 'true' },
  status: { query: 'status=settled', condition: `status = 'settled'` },
  'two statuses': { query: 'status=created,failed', condition: `status in ('created', 'failed')` },
  customerId: { query: 'customerId={customer}', condition: `customer_id = '{customer}'` },
  reference: { query: 'reference=fill-7', condition: `reference = 'fill-7'` },
}

/** The time of each page in milliseconds, by the filter's name and the place. */
async function measurePages(pool: pg.Pool, organizationId: string, url: string, headers: Headers) {
  const times = new Map<string, number>()
  const customer = (await pool.query<{ id: string }>(`select md5('customer1')::uuid as id`)).rows[0]!.id
  for (const [name, filter] of Object.entries(filters)) {
    const [query, condition] = [filter.query, filter.condition].map((text) => text.replace('{customer}', customer))
    const cursors = { first: newest, deepest: await deepestCursor(pool, organizationId, condition!) }
    for (const [place, cursor] of Object.entries(cursors)) {
      times.set(`${name}, ${place}`, await median(`${url}?${query}&cursor=${cursor}`, headers))
    }
  }
  return times
}

const newest = Buffer.from('ffffffff-ffff-7fff-bfff-ffffffffffff').toString('base64url')

/** The cursor before the last page: found as a reader who pages on and on would come to it. */
async function deepestCursor(pool: pg.Pool, organizationId: string, condition: string): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from (select id from payments where organization_id = $1 and ${condition} order by id limit $2) last
      order by id desc limit 1`,
    [organizationId, PAGE + 1],
  )
  return Buffer.from(rows[0]!.id).toString('base64url')
}

async function median(url: string, headers: Headers): Promise<number> {
  const times: number[] = []
  for (let tries = 0; tries < TRIES; tries += 1) {
    const startedAt = performance.now()
    const response = await fetch(url, { headers })
    await response.text()
    if (response.status !== 200) throw new Error(`${url} answered ${response.status}`)
    times.push(performance.now() - startedAt)
  }
  return times.toSorted((a, b) => a - b)[times.length >> 1]!
}
