import type { WorkerDeps } from '../workers/worker.ts'
import { createRecorder, type Ended } from './recorder.ts'
import { createRequests } from './request.ts'
import { createSender, NotSent, type Outcome } from './sender.ts'
import * as store from './queue-store.ts'
import { nextAttemptAt } from './states.ts'

/** At most this many requests are under way per endpoint, over the whole deployment. */
export const MAX_PER_ENDPOINT = 10

/** Requests under way in one process. Retries have places of their own, so that first attempts never stand behind them. */
const MAX_FIRST = 2_048
const MAX_RETRIES = 1_024
/** Rows looked at by one claim: enough to amortise it, few enough to hold its turn only for milliseconds. */
const CLAIM_ROWS = 250
const CLAIM_REFILLS = 50
/** How often endpoints are looked for whose parked deliveries nobody has an eye on. */
const SWEEP_MS = 1_000
const SWEEP_LANES = 500
const GAUGE_MS = 5_000
/** How often claims are looked for that nobody knows of; after a fault of the database at the next round. */
const STRAYS_MS = 10_000
/** After a fault of ours a delivery is tried again this much later. */
const FAULT_PAUSE_MS = 30_000

type Attempt = store.Claimed & { readonly claimedBy: string; readonly at: Date; readonly isRetry: boolean }
type EndedAttempt = Ended & { readonly attempt: Attempt }

export type Engine = {
  /** Claims what is due, as far as there are places, and begins to send it. Answers how many rows it moved. */
  claim(): Promise<number>
  /** Waits for what is under way and records it. */
  stop(): Promise<void>
}

/** Claims, sends and records in batches that overlap: a slow endpoint holds its own places and nothing else. */
export function createEngine(deps: WorkerDeps): Engine {
  const { config } = deps
  const sender = createSender({
    lookup: deps.lookup,
    mayReachPrivate: config.env === 'local',
    timeoutMs: config.webhookTimeoutMs,
  })
  const requestOf = createRequests(deps)
  const underWay = { first: 0, retry: 0 }
  const held = new Map<string, Attempt>()
  const refills = new Map<string, store.LaneKey>()
  let sending = 0
  let isStopping = false
  let claiming: Promise<number> = Promise.resolve(0)
  let sweptAtMs = 0
  let gaugedAtMs = 0
  let straysSoughtAtMs = performance.now()

  const recorder = createRecorder<EndedAttempt>(deps, (ended, recorded) => {
    for (const { attempt } of ended) letGo(attempt)
    for (const row of recorded) if (row.isCongested) want(row)
    // A place is free for what is parked: it is taken at once, and not at the next poll.
    if (refills.size > 0) claimNext().catch((error: unknown) => deps.log.warn({ err: error }, 'a claim failed'))
  })

  function letGo(attempt: Attempt): void {
    underWay[attempt.isRetry ? 'retry' : 'first'] -= 1
    // Not the same delivery, claimed anew after this claim was lost.
    if (held.get(attempt.id) === attempt) held.delete(attempt.id)
  }

  /** The database may have claimed and its answer been lost. */
  function seekStrays(error: unknown): never {
    straysSoughtAtMs = -STRAYS_MS
    throw error
  }

  function want(lane: store.LaneKey): void {
    refills.set(`${lane.organizationId}/${lane.endpointId}`, lane)
  }

  function claimNext(): Promise<number> {
    claiming = claiming.catch(() => 0).then(claimOnce)
    return claiming
  }

  async function claimOnce(): Promise<number> {
    if (isStopping) return 0
    await look()
    const free = { first: MAX_FIRST - underWay.first, retry: MAX_RETRIES - underWay.retry }
    if (free.first <= 0 && free.retry <= 0) return 0
    // What is parked may be either; retries that hang take nothing from what is parked behind first attempts.
    const freeInAll = Math.max(0, free.first + free.retry)
    const chosen = [...refills].slice(0, Math.min(CLAIM_REFILLS, Math.ceil(freeInAll / MAX_PER_ENDPOINT)))
    const wish = {
      processId: deps.processId(),
      at: deps.now(),
      firstMost: Math.max(0, Math.min(CLAIM_ROWS, free.first)),
      retryMost: Math.max(0, Math.min(CLAIM_ROWS, free.retry)),
      endpointMost: placesPerEndpoint(freeInAll / (MAX_FIRST + MAX_RETRIES)),
      refills: chosen.map(([, lane]) => lane),
    }
    const readAtMs = performance.now()
    const rows = await store.claimDeliveries(deps.db, wish).catch(seekStrays)
    for (const [key] of chosen) refills.delete(key)
    const claimed = rows.filter((row) => row.lane === 'claimed')
    for (const row of claimed) {
      const isRetry = row.attemptCount > 0 && !row.isManual
      begin({ ...row, claimedBy: wish.processId, at: wish.at, isRetry }, readAtMs)
    }
    return rows.length
  }

  /** The fewer places are left, the fewer an endpoint may take: a thousand that hang cannot take them all. */
  function placesPerEndpoint(freeShare: number): number {
    return Math.max(1, Math.min(MAX_PER_ENDPOINT, Math.floor(freeShare * 2 * MAX_PER_ENDPOINT)))
  }

  async function look(): Promise<void> {
    const nowMs = performance.now()
    if (nowMs - straysSoughtAtMs >= STRAYS_MS) {
      await recorder.freeStrays([...held.keys()])
      straysSoughtAtMs = nowMs
    }
    if (nowMs - sweptAtMs >= SWEEP_MS) {
      sweptAtMs = nowMs
      for (const lane of await store.findParkedLanes(deps.db, MAX_PER_ENDPOINT, SWEEP_LANES)) want(lane)
    }
    if (nowMs - gaugedAtMs >= GAUGE_MS) {
      gaugedAtMs = nowMs
      const { oldestDueAt, failing } = await store.readGauges(deps.db)
      const ageMs = oldestDueAt ? Math.max(0, deps.now().getTime() - oldestDueAt.getTime()) : 0
      deps.metrics.webhookOldestDueSeconds.set(ageMs / 1000)
      deps.metrics.webhookEndpointsFailing.set(failing)
    }
  }

  function begin(attempt: Attempt, readAtMs: number): void {
    underWay[attempt.isRetry ? 'retry' : 'first'] += 1
    held.set(attempt.id, attempt)
    sending += 1
    void attemptOnce(attempt, readAtMs).finally(() => {
      sending -= 1
      recorder.flushSoon(sending === 0)
    })
  }

  async function attemptOnce(attempt: Attempt, readAtMs: number): Promise<void> {
    try {
      const outcome = await sender.send(requestOf(attempt, readAtMs))
      observe(outcome)
      recorder.add(endedWith(attempt, outcome, deps.now()))
    } catch (error) {
      const cause = error instanceof NotSent ? error.cause : error
      deps.log.error({ err: cause, deliveryId: attempt.id }, 'a delivery could not be sent for a fault of ours')
      deps.metrics.webhookAttempts.inc({ outcome: 'not_sent' })
      await giveBack(attempt)
    }
  }

  /** No attempt was made. Where even this cannot be written down, the claim is freed when the database is back. */
  async function giveBack(attempt: Attempt): Promise<void> {
    const dueAt = new Date(deps.now().getTime() + FAULT_PAUSE_MS)
    await recorder.defer(attempt, dueAt).catch(() => (straysSoughtAtMs = -STRAYS_MS))
    letGo(attempt)
  }

  function observe({ isDelivered, responseStatus, durationMs }: Outcome): void {
    const outcome = isDelivered ? 'delivered' : responseStatus === null ? 'no_answer' : 'refused'
    deps.metrics.webhookAttempts.inc({ outcome })
    deps.metrics.webhookAttemptSeconds.observe({ outcome }, durationMs / 1000)
  }

  return {
    claim: claimNext,
    async stop() {
      isStopping = true
      await claiming.catch(() => 0)
      await recorder.drained(() => sending === 0)
      await sender.close()
    },
  }
}

function endedWith(attempt: Attempt, outcome: Outcome, endedAt: Date): EndedAttempt {
  const { organizationId, endpointId, id, claimedBy, at, isManual, automaticCount } = attempt
  const { responseStatus, responseBody, error, durationMs } = outcome
  const next = isManual ? null : nextAttemptAt(endedAt, automaticCount + 1)
  return {
    organizationId,
    endpointId,
    id,
    claimedBy,
    at,
    endedAt,
    durationMs,
    responseStatus,
    responseBody,
    error,
    attempt,
    trigger: isManual ? 'manual' : 'automatic',
    nextAttemptAt: next,
  }
}
