import type { FastifyReply, FastifyRequest } from 'fastify'
import { wallNow } from '../clock.ts'
import type { Db, Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { errorBody, invalid, Refusal } from '../errors.ts'
import * as store from './idempotency-store.ts'

/**
 * How a route's effect and its stored answer become one.
 * `joined`: everything happens in one transaction under a lock on the key.
 * `claimed`: the route asks a provider before it writes; the key is claimed in a commit of its own, and the effect is
 * committed together with the answer, if the claim is still ours by then.
 * `none`: the header is not read.
 */
export type IdempotencyMode = 'joined' | 'claimed' | 'none'

export type Answer = { readonly status: number; readonly body: string }
type Run = (deps: Deps) => Promise<unknown>

/** A claim whose process died is free again after this long, by the wall clock. */
const CLAIM_LEASE_MS = 60_000
const KEPT_MS = 24 * 60 * 60 * 1000

/** From "existence" onward a refusal is an answer and is kept; what comes before it, and our own faults, are not. */
const keptRefusals = new Set([404, 409, 422])

/** Answers a POST once per key. `write` does what belongs together in one transaction: for this request, or for several. */
export async function answerOnce(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  run: Run,
  write: (...handling: Handling) => Promise<Answer> = joined,
): Promise<unknown> {
  const { idempotency = 'joined', answersSecret = false } = request.routeOptions.config
  const key = keyOf(request)
  if (key === undefined || idempotency === 'none') return run(deps)
  const slot: Slot = {
    organizationId: request.organizationId,
    key,
    request: contentOf(request),
    isSealed: answersSecret,
  }
  const answer = await (idempotency === 'claimed' ? claimed : write)(deps, slot, request, reply, run)
  deps.faultPoint('answer.committed')
  return reply.code(answer.status).type('application/json; charset=utf-8').send(answer.body)
}

type Slot = {
  readonly organizationId: string
  readonly key: string
  /** What makes a request the same one. */
  readonly request: Buffer
  readonly isSealed: boolean
}
export type Handling = readonly [deps: Deps, slot: Slot, request: FastifyRequest, reply: FastifyReply, run: Run]

export async function joined(...[deps, slot, request, reply, run]: Handling): Promise<Answer> {
  return deps.db.transaction(async (tx) => {
    const before = await lookUp(deps, tx, slot, reply)
    if (before) return before
    const answer = await answerOf({ ...deps, db: tx }, tx, request, reply, run)
    await store.insertAnswers(tx, [keptOf(deps, slot, answer)])
    return answer
  })
}

/** An answer as it is kept. */
export function keptOf(deps: Deps, slot: Slot, answer: Answer): store.KeptAnswer {
  return { ...slot, fingerprint: fingerprintOf(deps, slot), ...sealed(deps, slot, answer), at: deps.now() }
}

/**
 * The operation's first transaction stays open until its answer is serialized, so that the two commit together.
 * Asking the provider comes before that transaction; nothing in the operation comes after it.
 */
async function claimed(...[deps, slot, request, reply, run]: Handling): Promise<Answer> {
  const claimId = deps.newId(deps.now())
  const before = await deps.db.transaction(async (tx) => {
    const found = await lookUp(deps, tx, slot, reply)
    if (!found)
      await store.insertClaim(tx, {
        ...slot,
        fingerprint: fingerprintOf(deps, slot),
        claimId,
        until: new Date(wallNow().getTime() + CLAIM_LEASE_MS),
        at: deps.now(),
      })
    return found
  })
  if (before) return before
  try {
    return await withEffect(deps, slot, claimId, request, reply, run)
  } catch (error) {
    if (error instanceof ClaimLost) throw inUse()
    // Nothing was kept: free the key at once rather than after the lease. A dead database frees it by the lease.
    await deps.db.transaction((tx) => store.deleteClaim(tx, slot, claimId)).catch(() => undefined)
    throw error
  }
}

async function withEffect(
  deps: Deps,
  slot: Slot,
  claimId: string,
  request: FastifyRequest,
  reply: FastifyReply,
  run: Run,
): Promise<Answer> {
  const keep = async (tx: Tx, answer: Answer) => {
    if (!(await store.replaceClaim(tx, { ...slot, ...sealed(deps, slot, answer), claimId }))) throw new ClaimLost()
    return answer
  }
  const effect = heldOpen(deps.db)
  try {
    const answer = serialize(reply, await run({ ...deps, db: effect.db }))
    return await effect.finish((tx) => keep(tx, answer))
  } catch (error) {
    await effect.undo(error)
    const refusal = keptRefusal(error)
    if (!refusal) throw error
    return deps.db.transaction((tx) => keep(tx, refusalAnswer(refusal, request)))
  }
}

/** The lease ended and another request took the key: what this one did is undone, and the other's answer counts. */
class ClaimLost extends Error {}

/** Forgets answers nobody can ask for again. */
export function forgetAnswers(deps: Deps, most: number): Promise<number> {
  const before = new Date(deps.now().getTime() - KEPT_MS)
  return deps.db.transaction((tx) => store.purgeKeys(tx, before, most))
}

/** Seals kept answers again that are sealed under an older master key; answers how many. */
export function resealAnswers(deps: Deps, most: number): Promise<number> {
  return deps.db.transaction(async (tx) => {
    const rows = await store.lockSealedByOthers(tx, deps.secrets.sealedBeginning, most)
    for (const row of rows) {
      const context = contextOf(row)
      await store.updateBody(tx, row, deps.secrets.seal(deps.secrets.open(row.body, context), context))
    }
    return rows.length
  })
}

/** A database whose transaction stays open after its work, until `finish` adds the last step and commits. */
function heldOpen(db: Db) {
  let open:
    { tx: Tx; last: PromiseWithResolvers<(tx: Tx) => Promise<unknown>>; committed: Promise<unknown> } | undefined
  const begin = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const last = Promise.withResolvers<(tx: Tx) => Promise<unknown>>()
      last.promise.catch(() => undefined)
      const committed = db.transaction(async (tx) => {
        // The operation has gone on with the first run's result: a second run may not replace it.
        if (open) throw new Error('the transaction could not be committed and cannot be run again')
        const result = await work(tx)
        open = { tx, last, committed }
        resolve(result)
        return (await last.promise)(tx)
      })
      committed.catch(reject)
    })
  return {
    db: { ...db, transaction: <T>(work: (tx: Tx) => Promise<T>) => (open ? work(open.tx) : begin(work)) },
    async finish<T>(step: (tx: Tx) => Promise<T>): Promise<T> {
      if (!open) return db.transaction(step)
      open.last.resolve(step)
      return open.committed as Promise<T>
    },
    async undo(cause: unknown): Promise<void> {
      open?.last.reject(cause)
      await open?.committed.catch(() => undefined)
    },
  }
}

/** The first request with this key is still running. */
export function inUse(): Refusal {
  return new Refusal('idempotency_key_in_use', { headers: { 'retry-after': '1' } })
}

/** The answer kept for this key, if there is one; refuses a key that is in use or belongs to another request. */
async function lookUp(deps: Deps, tx: Tx, slot: Slot, reply: FastifyReply): Promise<Answer | undefined> {
  const { organizationId, key } = slot
  if (!(await store.tryLock(tx, organizationId, key))) throw inUse()
  const found = await store.findKey(tx, organizationId, key)
  if (!found) return undefined
  const isStale = found.createdAt.getTime() + KEPT_MS <= deps.now().getTime()
  const isAbandoned = found.claimedUntil !== null && found.claimedUntil <= wallNow()
  if (isStale || isAbandoned) {
    await store.deleteKey(tx, organizationId, key)
    return undefined
  }
  if (!deps.secrets.isMac(found.fingerprint, FINGERPRINT, slot.request)) throw new Refusal('idempotency_key_reused')
  if (found.status === null || found.body === null) throw inUse()
  reply.header('idempotent-replayed', 'true')
  return { status: found.status, body: found.isSealed ? deps.secrets.open(found.body, contextOf(slot)) : found.body }
}

async function answerOf(deps: Deps, tx: Tx, request: FastifyRequest, reply: FastifyReply, run: Run): Promise<Answer> {
  try {
    return await tx.savepoint(async () => serialize(reply, await run(deps)))
  } catch (error) {
    const refusal = keptRefusal(error)
    if (!refusal) throw error
    return refusalAnswer(refusal, request)
  }
}

export function serialize(reply: FastifyReply, payload: unknown): Answer {
  return { status: reply.statusCode, body: reply.serialize(payload) as string }
}

export function keptRefusal(error: unknown): Refusal | undefined {
  return error instanceof Refusal && keptRefusals.has(error.status) ? error : undefined
}

export function refusalAnswer(refusal: Refusal, request: FastifyRequest): Answer {
  return { status: refusal.status, body: JSON.stringify(errorBody(refusal, request.id)) }
}

function sealed(deps: Deps, slot: Slot, { status, body }: Answer): Answer {
  return { status, body: slot.isSealed ? deps.secrets.seal(body, contextOf(slot)) : body }
}

function contextOf({ organizationId, key }: Pick<Slot, 'organizationId' | 'key'>): string {
  return `idempotency:${organizationId}:${key}`
}

function keyOf(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw invalid({ param: 'Idempotency-Key', message: 'must be 1 to 255 printable ASCII characters' })
  }
  return key
}

const FINGERPRINT = 'idempotency-fingerprint'

/** Keyed: a body may hold a number of eleven digits that is nobody's business, and all of those are soon hashed. */
function fingerprintOf({ secrets }: Deps, { request }: Slot): Buffer {
  return secrets.mac(FINGERPRINT, request)
}

function contentOf(request: FastifyRequest): Buffer {
  const path = request.url.split('?', 1)[0]!
  return Buffer.concat([Buffer.from(`${request.method}\n${path}\n`), request.rawBody ?? Buffer.alloc(0)])
}
