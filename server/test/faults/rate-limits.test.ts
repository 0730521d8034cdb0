import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { Pool } from 'undici'
import { createOrganization } from '../../src/organizations/operations.ts'
import { revokeApiKey } from '../../src/api-keys/operations.ts'
import { countOf } from '../counts.ts'
import { startKolo } from '../process.ts'
import { createService } from '../service.ts'
import { eventually } from '../world.ts'

const PROCESSES = countOf({ test: 2, long: 4, soak: 4 })
const LIMIT = 100
const SLICE = 10
const REQUESTS = countOf({ test: 2_000, long: 6_000, soak: 20_000 })
const CONNECTIONS = 8

test(`${REQUESTS} requests over the limit from ${PROCESSES} processes get at most a slice per process too much`, async (t) => {
  const service = await createService({ roles: ['worker'] })
  const { databaseUrl, deps } = service
  const { organizationId, apiKey } = await createOrganization(deps, 'Busy')
  const env = { DATABASE_URL: databaseUrl, KOLO_RATE_LIMIT_READS: String(LIMIT) }
  const dataDir = mkdtempSync(join(tmpdir(), 'kolo-limits-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const processes = await Promise.all(
    Array.from({ length: PROCESSES }, (_, index) =>
      startKolo({ dataDir: join(dataDir, String(index)), role: 'api', env }),
    ),
  )
  t.after(() => Promise.all(processes.map((one) => one.kill())))
  const origins = processes.map(({ origin }) => origin)
  const admin = new pg.Client({ connectionString: databaseUrl })
  await admin.connect()
  t.after(() => admin.end())
  const headers = { authorization: `Bearer ${apiKey}` }
  const pools = origins.map((origin) => new Pool(origin, { connections: CONNECTIONS }))
  t.after(() => Promise.all(pools.map((pool) => pool.destroy())))
  const read = async (pool: Pool) => {
    const { statusCode, body } = await pool.request({ path: '/api/v1/wallets/NGN', method: 'GET', headers })
    await body.dump()
    return statusCode
  }
  await Promise.all(pools.map(read))

  const watch = watchLocks(admin)
  const secondOf = () => Math.floor(Date.now() / 1_000)
  const before = await reservations(admin)
  const firstSecond = secondOf()
  const counts = new Map<number, number>()
  let left = REQUESTS
  await Promise.all(
    pools.flatMap((pool) =>
      Array.from({ length: CONNECTIONS }, async () => {
        while (left > 0) {
          left -= 1
          const status = await read(pool)
          counts.set(status, (counts.get(status) ?? 0) + 1)
        }
      }),
    ),
  )
  const seconds = secondOf() - firstSecond + 1
  const waits = await watch.stop()
  const statements = (await reservations(admin)) - before
  t.diagnostic(
    `${counts.get(200)} of ${REQUESTS} answered in ${seconds} seconds, ${counts.get(429)} refused, ${statements} statements`,
  )
  assert.deepEqual(
    [...counts.keys()].toSorted((a, b) => a - b),
    [200, 429],
  )
  assert(counts.get(200)! <= seconds * LIMIT + PROCESSES * SLICE, `${counts.get(200)} in ${seconds} s`)
  assert(counts.get(200)! >= LIMIT)
  // A slice each, and one question per process that hears there is nothing left.
  assert(statements <= seconds * (LIMIT / SLICE + 2 * PROCESSES), `${statements} statements in ${seconds} s`)
  assert.equal(waits, 0, 'nobody waits for a lock')

  // While it is limited to nothing it is also refused: at once where it is revoked, within a second elsewhere.
  const { rows } = await admin.query<{ id: string }>('select id from api_keys where organization_id = $1', [
    organizationId,
  ])
  await revokeApiKey(deps, organizationId, { type: 'operator' }, rows[0]!.id)
  const refused = Promise.all(
    pools.map((pool) => eventually('it is refused', async () => (await read(pool)) === 401, 1_000)),
  )
  await refused
})

/** How often a slice was asked for, by the row itself: each reservation is one version of it. */
async function reservations(admin: pg.Client): Promise<number> {
  // Statistics arrive a little late; the client's own are flushed first.
  await new Promise((resolve) => setTimeout(resolve, 1_200))
  const { rows } = await admin.query<{ count: string }>(
    `select n_tup_ins + n_tup_upd as count from pg_stat_user_tables where relname = 'rate_limits'`,
  )
  return Number(rows[0]!.count)
}

/** Looks again and again whether a reservation waits for a lock for longer than a moment. */
function watchLocks(admin: pg.Client) {
  let isStopping = false
  const watching = (async () => {
    let waits = 0
    while (!isStopping) {
      const { rows } = await admin.query<{ count: number }>(
        `select count(*)::integer as count from pg_stat_activity
          where wait_event_type = 'Lock' and query like '%rate_limits%' and clock_timestamp() - query_start > interval '100 ms'`,
      )
      waits += rows[0]!.count
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return waits
  })()
  return {
    async stop(): Promise<number> {
      isStopping = true
      return watching
    },
  }
}
