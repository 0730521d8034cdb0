import { setTimeout as pause } from 'node:timers/promises'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import type { Currency } from '../money/currencies.ts'
import type { Recipient } from './schema.ts'
import * as store from './store.ts'

/** Misses an organization has in a minute, so that nobody can list the users of the partner wallet. */
const MAX_MISSES = 10
const WINDOW_MS = 60_000
/** How long a look-up waits for others to come back before it is refused. */
const PATIENCE_MS = 5_000
const RETRY_MS = 15
/** What a call may take beyond its deadline before it is taken for dead. */
const SLACK_MS = 5_000

export type Found = { readonly maskedName: string; readonly currencies: readonly Currency[] }

export async function lookUpRecipient(deps: Deps, organizationId: string, publicId: string): Promise<Recipient> {
  const found = await findRecipient(deps, organizationId, publicId)
  if (!found) throw new Refusal('not_found')
  return { publicId, maskedName: found.maskedName, currencies: [...found.currencies] }
}

/**
 * Finds a partner-wallet user. A place is taken before the provider is asked and given back unless it was a miss: with
 * ten misses in the last minute nobody is asked, and no more are asked at once than could still miss.
 */
export async function findRecipient(deps: Deps, organizationId: string, publicId: string): Promise<Found | undefined> {
  const { partnerWallet } = deps.rails.get('partnerWallet')
  const place = await takePlace(deps, organizationId)
  let isMiss = false
  try {
    const reply = await partnerWallet.find(publicId)
    if (reply.state !== 'answered') throw new Refusal('verification_provider_unavailable')
    isMiss = reply.value === null
    return reply.value ?? undefined
  } finally {
    await store.givePlaceBack(deps.db, organizationId, place, isMiss)
  }
}

async function takePlace({ db, config }: Deps, organizationId: string): Promise<string> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const askingMs = config.railTimeoutMs + SLACK_MS
    const place = await store.takePlace(db, organizationId, WINDOW_MS, askingMs, MAX_MISSES)
    if (place) return place
    const { misses, freeInMs } = await store.countMisses(db, organizationId, WINDOW_MS)
    if (misses >= MAX_MISSES || performance.now() > deadline) throw limited(freeInMs)
    await pause(RETRY_MS)
  }
}

function limited(freeInMs: number): Refusal {
  return new Refusal('lookup_limit_reached', {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(freeInMs / 1000))) },
  })
}
