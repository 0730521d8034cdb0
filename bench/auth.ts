import { fastify, type FastifyInstance } from 'fastify'
import pg from 'pg'
import { createOrganization } from '../server/src/organizations/operations.ts'
import { answersPerSecond } from './load.ts'
import type { BenchContext } from './context.ts'

/** Many short rounds, each measuring everything: what else the machine does then falls on all alike. */
const SECONDS = 1
const ROUNDS = 12
const CONNECTIONS = 16
const BARE = 'bare Fastify and one select'
const BY_KEY = 'an authenticated, limited read by key'
const BY_TOKEN = 'an authenticated, limited read by token'

/** What credential, rate limit and permission cost: the same record, read with and without them. */
export async function run(context: BenchContext): Promise<void> {
  // A limit nobody reaches: it is counted and never refuses.
  const service = await context.service({ roles: ['api'], env: { KOLO_RATE_LIMIT_READS: '1000000' } })
  const { organizationId, apiKey, email, password } = await createOrganization(service.deps, 'Bench')
  const kolo = await listen(service.app.fastify)
  const bare = await bareServer(service.databaseUrl)
  const signedIn = await fetch(`${kolo}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  const { token } = ((await signedIn.json()) as { data: { token: string } }).data
  const targets = [
    { name: BARE, origin: bare.origin, path: `/organizations/${organizationId}`, headers: {} },
    ...[apiKey, token].map((credential, index) => ({
      name: index === 0 ? BY_KEY : BY_TOKEN,
      origin: kolo,
      path: `/api/v1/organizations/${organizationId}`,
      headers: { authorization: `Bearer ${credential}` },
    })),
  ]
  const rates = new Map<string, number[]>(targets.map(({ name }) => [name, []]))
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { name, ...target } of targets) {
      const rate = await answersPerSecond({ ...target, connections: CONNECTIONS, seconds: SECONDS })
      // The first round warms both up.
      if (round > 0) rates.get(name)!.push(rate)
    }
  }
  await bare.close()
  report(context, rates)
}

/** Ratios are taken round by round, and their median counts. */
function report(context: BenchContext, rates: ReadonlyMap<string, readonly number[]>): void {
  const bare = rates.get(BARE)!
  context.figure({ name: BARE, value: median(bare), unit: 'answers/s' })
  for (const name of [BY_KEY, BY_TOKEN]) {
    const found = rates.get(name)!
    const ratio = median(found.map((rate, round) => rate / bare[round]!))
    context.figure({ name, value: median(found), unit: 'answers/s', ratio, to: 'bare' })
    context.bar(`${name} reaches 0.6 of a bare one`, () => ({ isMet: ratio >= 0.6, says: ratio.toFixed(2) }))
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}

/** The least that answers the same record: one route, one named statement, one serializer. */
async function bareServer(databaseUrl: string): Promise<{ origin: string; close(): Promise<void> }> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS })
  const app = fastify()
  const text = { type: 'string' } as const
  const data = { type: 'object', properties: { id: text, name: text, createdAt: text, updatedAt: text } } as const
  app.get<{ Params: { id: string } }>(
    '/organizations/:id',
    { schema: { response: { 200: { type: 'object', properties: { data } } } } },
    async ({ params }) => {
      const { rows } = await pool.query<object>({
        name: 'organization',
        text: `select id, name, approval_thresholds as "approvalThresholds", created_at as "createdAt", updated_at as "updatedAt"
                 from organizations where id = $1`,
        values: [params.id],
      })
      return { data: rows[0] }
    },
  )
  const origin = await listen(app)
  return {
    origin,
    async close() {
      await app.close()
      await pool.end()
    },
  }
}

async function listen(app: FastifyInstance): Promise<string> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}
