import { wallNow } from '../clock.ts'
import type { Deps } from '../deps.ts'
import { findSigning, type Claimed, type LaneKey, type SigningRow } from './queue-store.ts'
import { createSecretOpener, openHeaders } from './secrecy.ts'
import type { Outbound } from './sender.ts'
import { SECRET_FRESH_MS, signatureOf, type SignaturePrefix } from './signing.ts'

/** The request of an attempt claimed at an instant: the stored bytes, signed when the connection stands with the secret of that moment. */
export type MakeRequest = (claimed: Claimed, readAtMs: number) => Outbound

export function createRequests(deps: Deps): MakeRequest {
  const fresh = createFreshSigning(deps)
  const open = createSecretOpener(deps)
  return (claimed, readAtMs) => {
    const { organizationId, endpointId, url, payload } = claimed
    const body = Buffer.from(payload)
    return {
      lane: `${organizationId}/${endpointId}`,
      url,
      body,
      headers: async () => {
        const signing = performance.now() - readAtMs < SECRET_FRESH_MS ? claimed : await fresh(claimed)
        const secret = signing.secret === null ? null : open(claimed, signing.secret)
        return headersOf(deps, claimed, { secret, signaturePrefix: signing.signaturePrefix }, body)
      },
    }
  }
}

/** What an endpoint signs with, read just now. */
type FreshSigning = (lane: LaneKey) => Promise<SigningRow>

/** Reading may itself take too long, and is begun again; not for ever. */
const MOST_READS = 10

/** Everybody who asks while a read is under way shares the next one: a thousand late attempts are one statement. */
function createFreshSigning(deps: Deps): FreshSigning {
  let waiting = new Map<string, LaneKey>()
  let next: Promise<Map<string, SigningRow>> | undefined
  let reading: Promise<unknown> = Promise.resolve()
  const keyOf = ({ organizationId, endpointId }: LaneKey) => `${organizationId}/${endpointId}`

  async function readAll(): Promise<Map<string, SigningRow>> {
    const lanes = [...waiting.values()]
    waiting = new Map()
    next = undefined
    for (let reads = 1; ; reads += 1) {
      const askedAtMs = performance.now()
      const rows = await findSigning(deps.db, lanes)
      // Half of the time is left to those who wait for it.
      if (performance.now() - askedAtMs < SECRET_FRESH_MS / 2) return new Map(rows.map((row) => [keyOf(row), row]))
      if (reads === MOST_READS) throw new Error('signing secrets could not be read in time')
    }
  }

  return async (lane) => {
    waiting.set(keyOf(lane), lane)
    if (!next) {
      next = reading.then(readAll)
      reading = next.catch(() => undefined)
    }
    return (await next).get(keyOf(lane))!
  }
}

type Signing = { readonly secret: string | null; readonly signaturePrefix: SignaturePrefix }

function headersOf(deps: Deps, claimed: Claimed, signing: Signing, body: Buffer): Record<string, string> {
  const own = {
    'content-type': 'application/json',
    'user-agent': 'Kolo-Webhooks/1.0',
    'x-webhook-id': claimed.eventId,
    'x-webhook-event': claimed.eventType,
    'x-webhook-attempt': String(claimed.attemptCount + 1),
    ...signatureHeaders(signing, body),
  }
  return claimed.headers === null ? own : { ...own, ...lowerCased(openHeaders(deps, claimed, claimed.headers)) }
}

/** The time is real time, also when the service clock was moved: the receiver compares it with its own. */
function signatureHeaders({ secret, signaturePrefix }: Signing, body: Buffer) {
  if (secret === null) return {}
  const timestamp = Math.floor(wallNow().getTime() / 1000)
  return {
    'x-webhook-timestamp': String(timestamp),
    'x-webhook-signature': signatureOf(secret, timestamp, body, signaturePrefix),
  }
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
