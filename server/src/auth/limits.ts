import { setTimeout as pause } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'
import { wallNow } from '../clock.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import * as store from './store.ts'

/** Failures within 15 minutes after which nothing more is tried: enough for a person, hopeless for a guesser. */
const most = { perEmail: 10, perAddress: 50 }

/** How long an attempt waits for those before it whose outcome is not known yet. */
const WAIT_MS = 20_000
const LOOK_AGAIN_MS = 10
const LOOK_AGAIN_MAX_MS = 200

export type Attempt = { succeed(): Promise<void>; fail(): Promise<void> }

/**
 * Lets an attempt to sign in begin, or refuses it. Attempts under way are counted as if they failed, so that many at
 * once get no more guesses than one after another; where only those stand in the way, the attempt waits for them.
 */
export async function beginAttempt(deps: Deps, email: string, ip: string): Promise<Attempt> {
  const by = { emailMac: deps.secrets.mac('sign-in', email.toLowerCase()), address: addressOf(ip) }
  const id = deps.newId(wallNow())
  const deadline = performance.now() + WAIT_MS
  for (let waitMs = LOOK_AGAIN_MS; !(await mayBegin(deps, by, id)); waitMs = Math.min(waitMs * 2, LOOK_AGAIN_MAX_MS)) {
    if (performance.now() > deadline) throw tooMany(1)
    await pause(waitMs * (0.5 + Math.random()))
  }
  return {
    succeed: () => deps.db.transaction((tx) => store.deleteAttempt(tx, id)),
    fail: () => deps.db.transaction((tx) => store.failAttempt(tx, id)),
  }
}

async function mayBegin(deps: Deps, by: { emailMac: Buffer; address: string }, id: string): Promise<boolean> {
  return deps.db.transaction(async (tx) => {
    const counts = await store.lockAndCountAttempts(tx, by, most)
    if (!counts) return false
    const { emailFailures, emailPending, emailFreeAt, addressFailures, addressPending, addressFreeAt } = counts
    const freeAt = Math.max(emailFreeAt?.getTime() ?? 0, addressFreeAt?.getTime() ?? 0)
    if (emailFailures >= most.perEmail || addressFailures >= most.perAddress)
      throw tooMany(Math.max(1, Math.ceil((freeAt - wallNow().getTime()) / 1000)))
    if (emailFailures + emailPending >= most.perEmail || addressFailures + addressPending >= most.perAddress)
      return false
    await store.insertAttempt(tx, id, by)
    return true
  })
}

function tooMany(seconds: number): Refusal {
  return new Refusal('too_many_failures', { headers: { 'retry-after': String(seconds) } })
}

/** Whoever has one IPv6 address has the 2^64 beside it: they count as one. */
function addressOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  return address instanceof ipaddr.IPv6
    ? `${address.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(':')}::/64`
    : address.toString()
}
