import type { FastifyRequest } from 'fastify'
import { isUnavailable, type Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import { gather } from '../gather.ts'
import * as idempotency from './idempotency.ts'
import * as store from './idempotency-store.ts'

/** Does for several requests, in one transaction, what a route does for one; for each what it answers, or why not. */
export type Together = (deps: Deps, requests: readonly FastifyRequest[]) => Promise<readonly object[]>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Requests with an idempotency key that come at the same moment are written in one transaction by this. */
    together?: Together
  }
}

/** Requests written together at most: they pay one commit. */
const MOST_TOGETHER = 64
/** Transactions under way at once: one is written while the disk has the other. */
const LANES = 2

/**
 * Answers requests of one route, those that come while others are being written together in the next transaction, each
 * with its own end and its own kept answer. One by one, a request with a key is eight round trips and a commit.
 */
export function answeringTogether(deps: Deps, together: Together) {
  const gathered = gather({ most: MOST_TOGETHER, lanes: LANES }, (handlings: readonly idempotency.Handling[]) =>
    answerTogether(deps, together, handlings),
  )
  let count = 0
  return (...handling: idempotency.Handling): Promise<idempotency.Answer> => gathered(String((count += 1)), handling)
}

async function answerTogether(
  deps: Deps,
  together: Together,
  handlings: readonly idempotency.Handling[],
): Promise<(idempotency.Answer | Error)[]> {
  const alone = (handling: idempotency.Handling) => idempotency.joined(...handling).catch((error: Error) => error)
  if (handlings.length === 1) return [await alone(handlings[0]!)]
  try {
    const ends = await deps.db.transaction((tx) => writeTogether({ ...deps, db: tx }, tx, together, handlings))
    return await Promise.all(ends.map(async (end, index) => end ?? alone(handlings[index]!)))
  } catch (error) {
    if (isUnavailable(error)) throw error
    // One of them cannot be written; the others are not to suffer for it.
    return Promise.all(handlings.map(alone))
  }
}

/** Under the locks of their keys. Undefined stands for a key that was used before: it is looked at alone, afterwards. */
async function writeTogether(
  deps: Deps,
  tx: Tx,
  together: Together,
  handlings: readonly idempotency.Handling[],
): Promise<(idempotency.Answer | Error | undefined)[]> {
  const slots = handlings.map(([, slot]) => slot)
  const locked = await store.tryLocks(tx, slots)
  const used = new Set((await store.findUsed(tx, slots)).map(nameOf))
  const names = slots.map(nameOf)
  const isFree = names.map((name, index) => locked[index]! && names.indexOf(name) === index)
  const fresh = handlings.filter((_, index) => isFree[index] && !used.has(names[index]!))
  const ends = await together(
    deps,
    fresh.map(([, , request]) => request),
  )
  const answers = new Map(fresh.map((handling, index) => [handling, answerOf(handling, ends[index]!)]))
  await store.insertAnswers(
    tx,
    fresh.flatMap((handling) => {
      const [answer, slot] = [answers.get(handling)!, handling[1]]
      return answer instanceof Error ? [] : [idempotency.keptOf(deps, slot, answer)]
    }),
  )
  return handlings.map((handling, index) => (isFree[index] ? answers.get(handling) : idempotency.inUse()))
}

function answerOf([, , request, reply]: idempotency.Handling, end: object): idempotency.Answer | Error {
  if (!(end instanceof Refusal)) return idempotency.serialize(reply, end)
  return idempotency.keptRefusal(end) ? idempotency.refusalAnswer(end, request) : end
}

function nameOf({ organizationId, key }: { organizationId: string; key: string }): string {
  return `${organizationId}/${key}`
}
