import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import { reserve, type LimitKind } from './rate-limit-store.ts'

export type RateLimits = { take(request: FastifyRequest, reply: FastifyReply): Promise<void> }

/** By default outside local, per second. */
const defaults = { reads: 100, writes: 25 }
/** A process takes a tenth of a limit at a time: ten statements a second for the busiest caller, and none once it is spent. */
const SLICES = 10
/** Past this many callers those whose second is over are forgotten. */
const MOST_BUCKETS = 10_000

/** What this process may still let a caller do in the current second. */
type Bucket = {
  tokens: number
  /** What no process has taken yet, as far as is known. */
  elsewhere: number
  endsAt: number
  reserving: Promise<void> | undefined
}

/** Limits what each key and each member may ask in a second, over all processes; undefined where nothing is limited. */
export function createRateLimits({ config, db }: Deps): RateLimits | undefined {
  const byDefault = config.env === 'local' ? { reads: 0, writes: 0 } : defaults
  const limits = { reads: config.rateLimitReads ?? byDefault.reads, writes: config.rateLimitWrites ?? byDefault.writes }
  if (limits.reads === 0 && limits.writes === 0) return undefined
  const policies = { reads: policyOf('reads', limits.reads), writes: policyOf('writes', limits.writes) }
  const buckets = new Map<string, Bucket>()

  function bucketOf(key: string, at: number): Bucket {
    const known = buckets.get(key)
    if (known) return known
    if (buckets.size >= MOST_BUCKETS) for (const [old, { endsAt }] of buckets) if (endsAt <= at) buckets.delete(old)
    const bucket: Bucket = { tokens: 0, elsewhere: 0, endsAt: 0, reserving: undefined }
    buckets.set(key, bucket)
    return bucket
  }

  async function refill(bucket: Bucket, subjectId: string, kind: LimitKind): Promise<void> {
    const slice = Math.ceil(limits[kind] / SLICES)
    const { granted, remaining, endsInMs } = await reserve(db, subjectId, kind, slice, limits[kind])
    bucket.tokens = granted
    bucket.elsewhere = remaining
    bucket.endsAt = performance.now() + endsInMs
  }

  /** Takes a token; false when the second is spent. Callers that wait for the same slice share one statement. */
  async function draw(bucket: Bucket, subjectId: string, kind: LimitKind): Promise<boolean> {
    for (let isFirst = true; ; isFirst = false) {
      const isCurrent = bucket.endsAt > performance.now()
      if (isCurrent && bucket.tokens > 0) {
        bucket.tokens -= 1
        return true
      }
      if (isCurrent && bucket.elsewhere === 0 && !(isFirst && bucket.reserving)) return false
      bucket.reserving ??= refill(bucket, subjectId, kind).finally(() => (bucket.reserving = undefined))
      await bucket.reserving
    }
  }

  return {
    async take(request, reply) {
      const kind = request.method === 'GET' || request.method === 'HEAD' ? 'reads' : 'writes'
      if (limits[kind] === 0) return
      const { id } = request.actor
      const bucket = bucketOf(`${id}/${kind}`, performance.now())
      const isAllowed = await draw(bucket, id, kind)
      const seconds = Math.max(1, Math.ceil((bucket.endsAt - performance.now()) / 1000))
      void reply.header('ratelimit-policy', policies[kind])
      void reply.header('ratelimit', `"${kind}";r=${bucket.tokens + bucket.elsewhere};t=${seconds}`)
      if (!isAllowed) throw new Refusal('rate_limited', { headers: { 'retry-after': String(seconds) } })
    },
  }
}

function policyOf(kind: LimitKind, limit: number): string {
  return `"${kind}";q=${limit};w=1`
}
