import { createHmac } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { fastify as createFastify } from 'fastify'
import pg from 'pg'
import { request, Agent } from 'undici'
import { createOrganization } from '../server/src/organizations/operations.ts'
import { sharedSecret } from '../server/src/rails/sandbox/connection.ts'
import type { Service } from '../server/src/service.ts'
import { openForOrganization } from '../server/src/virtual-accounts/operations.ts'
import type { BenchContext } from './context.ts'

const BACKLOG = 100_000
const ACCEPT_SECONDS = 6
const ACCEPT_LANES = 32
const STEADY_PER_SECOND = 200
const STEADY_SECONDS = 15

type Running = Service & { readonly databaseUrl: string }

/** Notices taken through HTTP, a backlog of one wallet applied, and how long a credit takes from notice to event. */
export async function run(context: BenchContext): Promise<void> {
  const backlog = Number(context.words[0] ?? BACKLOG)
  await acceptNotices(context)
  await applyBacklog(context, backlog)
  await stayQuick(context)
}

/** An organization with an account of its own; answers how to make signed notices for it. */
async function scene(service: Running) {
  const { deps } = service
  const origin = await service.app.fastify.listen({ host: '127.0.0.1', port: 0 })
  await service.announce(origin)
  const { organizationId } = await createOrganization(deps, 'Bench')
  const { account } = await openForOrganization(deps, organizationId, 'providerB')
  const { accountNumber } = account.accounts[0]!
  const secret = sharedSecret(deps.secrets)
  const body = (reference: string) =>
    JSON.stringify({
      id: reference,
      event: 'virtual_account.credited',
      accountNumber,
      transactionReference: reference,
      amount: { value: 100, currency: 'NGN' },
      payerName: 'Bola Ade',
    })
  const sign = (text: string) => ({
    'content-type': 'application/json',
    'x-provider-timestamp': '1700000000',
    'x-provider-signature': createHmac('sha256', secret).update(`1700000000.${text}`).digest('hex'),
  })
  return { organizationId, accountNumber, body, sign, url: `${origin}/rails/providerB/notices` }
}

/** Against a bare Fastify that inserts the bytes and answers: what the check, the reading and the inbox cost. */
async function acceptNotices(context: BenchContext): Promise<void> {
  const service = await context.service({ roles: ['api', 'simulator'] })
  const { body, sign, url } = await scene(service)
  const bare = await bareServer(service.databaseUrl)
  const agent = new Agent({ connections: ACCEPT_LANES, pipelining: 1 })
  let sent = 0
  const send = async (to: string) => {
    sent += 1
    const text = body(`accept-${sent}`)
    const answer = await request(to, { method: 'POST', body: text, headers: sign(text), dispatcher: agent })
    await answer.body.dump()
    if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`)
    return 1
  }
  const rates = { ours: [] as number[], bare: [] as number[] }
  for (const _ of [1, 2]) {
    rates.bare.push(await context.perSecond(ACCEPT_SECONDS, ACCEPT_LANES, () => send(bare.url)))
    rates.ours.push(await context.perSecond(ACCEPT_SECONDS, ACCEPT_LANES, () => send(url)))
  }
  await bare.close()
  await agent.close()
  const [ours, floor] = [mean(rates.ours), mean(rates.bare)]
  context.figure({ name: 'bare Fastify and one insert', value: floor, unit: 'requests/s' })
  context.figure({
    name: 'notices accepted',
    value: ours,
    unit: 'requests/s',
    ratio: ours / floor,
    to: 'the bare insert',
  })
  context.bar('notices are accepted at 0.6 of a bare Fastify and one insert', (ratioOf) => {
    const ratio = ratioOf('notices accepted')
    return { isMet: ratio >= 0.6, says: ratio.toFixed(2) }
  })
}

async function bareServer(databaseUrl: string) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 16 })
  await pool.query('create table bare_notices (id bigint generated always as identity primary key, body text not null)')
  const app = createFastify()
  app.post('/', async (received) => {
    const text = JSON.stringify(received.body)
    await pool.query({ name: 'bare', text: 'insert into bare_notices (body) values ($1)', values: [text] })
    return { received: true }
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    url,
    async close() {
      await app.close()
      await pool.end()
    },
  }
}

/** Writes a backlog into the inbox by one statement, as if the worker had been away, then lets a worker at it. */
async function applyBacklog(context: BenchContext, count: number): Promise<void> {
  await context.baseline()
  const service = await context.service({ roles: ['api', 'simulator', 'worker'] })
  const { organizationId, accountNumber } = await scene(service)
  const pool = new pg.Pool({ connectionString: service.databaseUrl, max: 2 })
  await pool.query(
    `insert into rail_notices (rail, dedupe_key, id, kind, notice, body, received_at)
     select 'providerB', 'credit:backlog-' || n, uuid_of($1), 'virtual_account_credit',
            jsonb_build_object('kind', 'virtual_account_credit', 'dedupeKey', 'credit:backlog-' || n, 'accountNumber', $2::text,
                               'transactionReference', 'backlog-' || n, 'payerName', 'Bola Ade', 'payerEmail', null,
                               'amount', jsonb_build_object('amount', '10000', 'currency', 'NGN')),
            '', $1 from generate_series(1, $3::integer) n`,
    [service.deps.now(), accountNumber, count],
  )
  await pool.query('vacuum analyze rail_notices')
  await pool.query('insert into rail_notice_queue (id, received_at) select id, received_at from rail_notices')
  // Not counted: counting a hundred thousand rows over and over would be a part of what is measured.
  const isLeft = async () =>
    (await pool.query('select exists (select from rail_notice_queue) as "isLeft"')).rows[0].isLeft === true
  const memory: number[] = []
  const startedAt = performance.now()
  while (await isLeft()) {
    memory.push(process.memoryUsage().rss / 2 ** 20)
    await pause(200)
  }
  const rate = count / ((performance.now() - startedAt) / 1000)
  await context.baseline()
  const credits = await pool.query(
    'select count(*)::integer as count from virtual_account_credits where organization_id = $1',
    [organizationId],
  )
  if (credits.rows[0].count !== count) throw new Error(`${credits.rows[0].count} credits of ${count} notices`)
  await pool.end()
  context.figure({ name: 'backlog of one wallet', value: rate, unit: 'credits/s', perBaseline: true })
  const [half, most] = [Math.max(...memory.slice(0, memory.length >> 1)), Math.max(...memory)]
  context.figure({ name: 'memory, first half', value: half, unit: 'MiB' })
  context.figure({ name: 'memory, most', value: most, unit: 'MiB', ratio: most / half, to: 'the first half' })
  context.bar('a backlog of one wallet is applied at 1.5 credits per baseline transaction', (ratioOf) => {
    const ratio = ratioOf('backlog of one wallet')
    return { isMet: ratio >= 1.5, says: ratio.toFixed(2) }
  })
  context.bar('memory stays flat while a backlog is applied', (ratioOf) => {
    const ratio = ratioOf('memory, most')
    return { isMet: ratio <= 1.2, says: ratio.toFixed(2) }
  })
}

/** A steady stream: from the moment a notice is sent to the moment its event can be read. */
async function stayQuick(context: BenchContext): Promise<void> {
  const service = await context.service({ roles: ['api', 'simulator', 'worker'] })
  const { organizationId, body, sign, url } = await scene(service)
  const sentAt = new Map<string, number>()
  const tookMs: number[] = []
  const pool = new pg.Pool({ connectionString: service.databaseUrl, max: 2 })
  const total = STEADY_PER_SECOND * STEADY_SECONDS
  const watching = watch(pool, organizationId, total, sentAt, tookMs)
  const agent = new Agent({ connections: 64, pipelining: 1 })
  const startedAt = performance.now()
  const sending: Promise<unknown>[] = []
  for (let n = 0; n < total; n += 1) {
    const waitMs = startedAt + (n * 1000) / STEADY_PER_SECOND - performance.now()
    if (waitMs > 0) await pause(waitMs)
    const reference = `steady-${n}`
    const text = body(reference)
    sentAt.set(reference, performance.now())
    sending.push(
      request(url, { method: 'POST', body: text, headers: sign(text), dispatcher: agent }).then((answer) =>
        answer.body.dump(),
      ),
    )
  }
  await Promise.all(sending)
  await watching
  await agent.close()
  await pool.end()
  const sorted = tookMs.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
  context.figure({ name: 'notice to event, median', value: at(0.5), unit: 'ms' })
  context.figure({ name: 'notice to event, p99', value: at(0.99), unit: 'ms' })
  const p99 = at(0.99)
  context.bar(`p99 from notice to event is under 250 ms at ${STEADY_PER_SECOND} notices/s`, () => {
    return { isMet: p99 < 250, says: `${p99.toFixed(0)} ms` }
  })
}

/** Looks for new events every few milliseconds, as a receiver would hear of them. */
async function watch(
  pool: pg.Pool,
  organizationId: string,
  total: number,
  sentAt: ReadonlyMap<string, number>,
  tookMs: number[],
): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000'
  while (tookMs.length < total) {
    const { rows } = await pool.query<{ id: string; payload: string }>({
      name: 'watch',
      text: 'select id, payload from events where organization_id = $1 and id > $2 order by id',
      values: [organizationId, after],
    })
    const seenAt = performance.now()
    for (const { id, payload } of rows) {
      const { data } = JSON.parse(payload) as { data: { transactionReference: string } }
      tookMs.push(seenAt - sentAt.get(data.transactionReference)!)
      after = id
    }
    await pause(5)
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
