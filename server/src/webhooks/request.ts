import { wallNow } from '../clock.ts'
import type { Deps } from '../deps.ts'
import { findSigning, type Claimed, type SigningRow } from './queue-store.ts'
import { openHeaders, openSecret } from './secrecy.ts'
import type { Outbound } from './sender.ts'
import { SECRET_FRESH_MS, signatureOf } from './signing.ts'

/** The request of an attempt: the stored bytes, signed when the connection stands with the secret of that moment. */
export function requestOf(deps: Deps, claimed: Claimed, readAtMs: number): Outbound {
  const { organizationId, endpointId, url, payload } = claimed
  const body = Buffer.from(payload)
  return {
    lane: `${organizationId}/${endpointId}`,
    url,
    body,
    headers: () => {
      const isFresh = performance.now() - readAtMs < SECRET_FRESH_MS
      return isFresh ? headersOf(deps, claimed, claimed, body) : freshHeaders(deps, claimed, body)
    },
  }
}

/** Reading may itself take long; what it answers then is asked for again. */
async function freshHeaders(deps: Deps, claimed: Claimed, body: Buffer): Promise<Record<string, string>> {
  for (;;) {
    const askedAtMs = performance.now()
    const signing = await findSigning(deps.db, claimed)
    if (performance.now() - askedAtMs < SECRET_FRESH_MS) return headersOf(deps, claimed, signing, body)
  }
}

function headersOf(deps: Deps, claimed: Claimed, signing: SigningRow, body: Buffer): Record<string, string> {
  const own = {
    'content-type': 'application/json',
    'user-agent': 'Kolo-Webhooks/1.0',
    'x-webhook-id': claimed.eventId,
    'x-webhook-event': claimed.eventType,
    'x-webhook-attempt': String(claimed.attemptCount + 1),
    ...signatureHeaders(deps, claimed, signing, body),
  }
  const custom = openHeaders(deps, claimed, claimed.headers)
  return { ...own, ...lowerCased(custom) }
}

/** The time is real time, also when the service clock was moved: the receiver compares it with its own. */
function signatureHeaders(deps: Deps, claimed: Claimed, { secret, signaturePrefix }: SigningRow, body: Buffer) {
  if (secret === null) return {}
  const timestamp = Math.floor(wallNow().getTime() / 1000)
  return {
    'x-webhook-timestamp': String(timestamp),
    'x-webhook-signature': signatureOf(openSecret(deps, claimed, secret), timestamp, body, signaturePrefix),
  }
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
