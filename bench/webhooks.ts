import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import type { Deps } from '../server/src/deps.ts'
import { statement } from '../server/src/db/sql.ts'
import { claimDeliveries } from '../server/src/webhooks/queue-store.ts'
import type { BenchContext } from './context.ts'
import { addListener, announce, percentile, sampleBody, startReceiver } from './webhooks/scene.ts'

const LISTENERS = 50
const SECONDS = 6
const ROUNDS = 2
/** Waiting at most, while deliveries are being announced as fast as they are sent. */
const AHEAD = 4_000

type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Deliveries a second beside bare undici; what a dead endpoint costs others; what a claim costs when much waits. */
export async function run(context: BenchContext): Promise<void> {
  const receiver = await startReceiver()
  const isWanted = (part: string) => context.words.length === 0 || context.words.includes(part)
  try {
    if (isWanted('sustained')) await measureSustained(context, receiver)
    if (isWanted('isolation')) await measureIsolation(context, receiver)
    if (isWanted('claims')) await measureClaims(context, receiver)
  } finally {
    receiver.stop()
  }
}

async function measureSustained(context: BenchContext, receiver: Receiver): Promise<void> {
  const { deps } = await context.service({ roles: ['api', 'worker'] })
  const organizations = await listeners(deps, receiver.url, LISTENERS)
  const [bare, ours]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(await bareRate(context, receiver))
    ours.push(await sustainedRate(deps, receiver, organizations))
  }
  bare.push(await bareRate(context, receiver))
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  context.figure({ name: 'bare undici, 50 connections', value: mean(bare), unit: 'requests/s' })
  const ratio = mean(ours) / mean(bare)
  context.figure({ name: 'deliveries, 50 endpoints', value: mean(ours), unit: 'deliveries/s', ratio, to: 'bare' })
  context.bar('at least 0.2 of bare undici', () => ({
    isMet: ratio >= 0.2,
    says: `${ratio.toFixed(2)}, the goal is 0.35`,
  }))
  context.bar('at least 1,000 deliveries a second', () => ({
    isMet: mean(ours) >= 1_000,
    says: String(Math.round(mean(ours))),
  }))
}

async function listeners(deps: Deps, url: string, count: number): Promise<string[]> {
  const made: string[] = []
  for (let index = 0; index < count; index += 1) made.push((await addListener(deps, url)).organizationId)
  return made
}

/** The same bytes to the same receiver, by nothing but undici. */
async function bareRate(context: BenchContext, receiver: Receiver): Promise<number> {
  const pool = new Pool(receiver.url, { connections: 50 })
  const headers = { 'content-type': 'application/json', 'x-webhook-signature': `sha256=${'0'.repeat(64)}` }
  const rate = await context.perSecond(SECONDS / 2, 50, async () => {
    const { body } = await pool.request({ method: 'POST', path: '/', headers, body: sampleBody })
    await body.dump()
    return 1
  })
  await pool.close()
  await receiver.tally()
  return rate
}

/** Announced and delivered at the same time, for so many seconds. */
async function sustainedRate(deps: Deps, receiver: Receiver, organizations: readonly string[]): Promise<number> {
  const four = [...organizations, ...organizations, ...organizations, ...organizations]
  let announced = 0
  let arrived = 0
  let isEnding = false
  await receiver.tally()
  const startedAt = performance.now()
  const announcing = (async () => {
    while (!isEnding) {
      if (announced - arrived > AHEAD) await pause(5)
      else {
        await announce(deps, four)
        announced += four.length
      }
    }
  })()
  const endsAt = startedAt + SECONDS * 1000
  while (performance.now() < endsAt) {
    await pause(100)
    arrived += (await receiver.tally()).received
  }
  const rate = arrived / ((performance.now() - startedAt) / 1000)
  isEnding = true
  await announcing
  for (let waits = 0; arrived < announced; waits += 1) {
    if (waits > 500) throw new Error(`${announced - arrived} of ${announced} deliveries have not arrived`)
    await pause(20)
    arrived += (await receiver.tally()).received
  }
  return rate
}

const ISOLATION_SECONDS = 8
const BLACK_HOLE_WAITING = 100_000

/** Latency from the announcement to the receiver at a steady rate, before and while another endpoint never answers. */
async function measureIsolation(context: BenchContext, receiver: Receiver): Promise<void> {
  const { deps } = await context.service({ roles: ['api', 'worker'] })
  const organizations = await listeners(deps, receiver.url, LISTENERS)
  await steadyLatency(deps, receiver, organizations, 2)
  const alone = await steadyLatency(deps, receiver, organizations, ISOLATION_SECONDS)
  const hole = await addListener(deps, receiver.silentUrl)
  for (let sent = 0; sent < BLACK_HOLE_WAITING; sent += 2_000)
    await announce(
      deps,
      Array.from({ length: 2_000 }, () => hole.organizationId),
    )
  const beside = await steadyLatency(deps, receiver, organizations, ISOLATION_SECONDS)
  const [before, during] = [percentile(alone, 0.99), percentile(beside, 0.99)]
  context.figure({ name: 'p50 to the receiver, idle', value: percentile(alone, 0.5), unit: 'ms' })
  context.figure({ name: 'p99 to the receiver, idle', value: before, unit: 'ms' })
  const ratio = during / before
  const name = `p99 beside a black hole with ${BLACK_HOLE_WAITING.toLocaleString('en')} waiting`
  context.figure({ name, value: during, unit: 'ms', ratio, to: 'idle' })
  context.bar('pick-up within 50 ms when idle', () => ({ isMet: before <= 50, says: `p99 ${before} ms` }))
  context.bar('one dead endpoint costs the others at most twice their p99', () => ({
    isMet: ratio <= 2,
    says: `${ratio.toFixed(2)} ×`,
  }))
}

async function steadyLatency(
  deps: Deps,
  receiver: Receiver,
  organizations: readonly string[],
  seconds: number,
): Promise<number[]> {
  await receiver.tally()
  const endsAt = performance.now() + seconds * 1000
  for (let turn = 0; performance.now() < endsAt; turn += 1) {
    await announce(deps, [organizations[turn % organizations.length]!])
    await pause(4)
  }
  await pause(500)
  return (await receiver.tally()).latenciesMs
}

const CLAIMS = 60
const CLAIM_ROWS = 100

/** One claim of a hundred rows, with nothing else waiting, with a million, with a thousand dead endpoints. */
async function measureClaims(context: BenchContext, receiver: Receiver): Promise<void> {
  const { deps } = await context.core()
  const organizations = await listeners(deps, receiver.url, LISTENERS)
  await claimMs(deps, organizations)
  const alone = await claimMs(deps, organizations)
  const dead: { organizationId: string; endpointId: string }[] = []
  const { organizationId } = await addListener(deps, receiver.silentUrl)
  for (let made = 0; made < 1_000; made += 1) dead.push(await addListener(deps, receiver.silentUrl, organizationId))
  await fill(deps, dead, 'claimed', 10)
  await fill(deps, dead, 'parked', 50)
  const besideDead = await claimMs(deps, organizations)
  await fill(deps, dead, 'parked', 450)
  await fill(deps, dead, 'retry', 500)
  await deps.db.many(statement('analyze webhook_deliveries'))
  const besideMillion = await claimMs(deps, organizations)
  context.figure({ name: `claim of ${CLAIM_ROWS}, nothing else waits`, value: alone, unit: 'ms' })
  for (const [name, value] of [
    ['claim beside 1,000 dead endpoints', besideDead],
    ['claim beside 1,000,000 waiting', besideMillion],
  ] as const) {
    const ratio = value / alone
    context.figure({ name, value, unit: 'ms', ratio, to: 'alone' })
    context.bar(`${name} costs at most 1.5 times as much`, () => ({
      isMet: ratio <= 1.5,
      says: `${ratio.toFixed(2)} ×`,
    }))
  }
}

/** Rows for each endpoint, as they would stand there: under way, parked, or waiting for their hour. */
async function fill(
  deps: Deps,
  endpoints: readonly { organizationId: string; endpointId: string }[],
  lane: 'claimed' | 'parked' | 'retry',
  each: number,
): Promise<void> {
  const dueAt = lane === 'retry' ? new Date(deps.now().getTime() + 3_600_000) : deps.now()
  const insert = statement(`
    insert into webhook_deliveries (organization_id, id, endpoint_id, event_id, event_type, next_attempt_at, created_at, lane, due_at, claimed_by)
    select e.organization_id, uuid_of($3), e.endpoint_id, gen_random_uuid(), 'transfer.completed', $4, $3, $5, $4,
           case when $5 = 'claimed' then gen_random_uuid() end
      from unnest($1::uuid[], $2::uuid[]) as e (organization_id, endpoint_id) cross join generate_series(1, $6)`)
  for (let from = 0; from < endpoints.length; from += 100) {
    const some = endpoints.slice(from, from + 100)
    const values = [some.map((one) => one.organizationId), some.map((one) => one.endpointId)]
    await deps.db.transaction((tx) => tx.many(insert, [...values, deps.now(), dueAt, lane, each]))
  }
}

/** The median of many claims, each of rows just announced; what was claimed is taken away again. */
async function claimMs(deps: Deps, organizations: readonly string[]): Promise<number> {
  const processId = '00000000-0000-7000-8000-000000000001'
  const twice = [...organizations, ...organizations]
  const took: number[] = []
  for (let round = 0; round < CLAIMS; round += 1) {
    await announce(deps, twice)
    const startedAt = performance.now()
    const rows = await claimDeliveries(deps.db, {
      processId,
      at: deps.now(),
      firstMost: CLAIM_ROWS,
      retryMost: CLAIM_ROWS,
      endpointMost: 10,
      refills: [],
    })
    took.push(performance.now() - startedAt)
    if (rows.length !== CLAIM_ROWS) throw new Error(`${rows.length} rows were claimed`)
    await deps.db.transaction((tx) =>
      tx.many(statement('delete from webhook_deliveries where claimed_by = $1'), [processId]),
    )
  }
  return percentile(took, 0.5)
}
