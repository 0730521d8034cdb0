import type { Deps } from '../deps.ts'

type Key = { readonly organizationId: string; readonly endpointId: string }
type Sealing = Pick<Deps, 'secrets'>

// A value is bound to its endpoint and to what it is: moved to another row or column it does not open.

function secretContext({ organizationId, endpointId }: Key): string {
  return `webhook-secret:${organizationId}:${endpointId}`
}

function headersContext({ organizationId, endpointId }: Key): string {
  return `webhook-headers:${organizationId}:${endpointId}`
}

export function sealSecret({ secrets }: Sealing, key: Key, secret: string): string {
  return secrets.seal(secret, secretContext(key))
}

export function openSecret({ secrets }: Sealing, key: Key, sealed: string): string {
  return secrets.open(sealed, secretContext(key))
}

export function sealHeaders({ secrets }: Sealing, key: Key, headers: Readonly<Record<string, string>>): string {
  return secrets.seal(JSON.stringify(headers), headersContext(key))
}

export function openHeaders({ secrets }: Sealing, key: Key, sealed: string | null): Record<string, string> {
  return sealed === null ? {} : (JSON.parse(secrets.open(sealed, headersContext(key))) as Record<string, string>)
}

/** So many endpoints' secrets are kept open in memory. */
const MOST_OPENED = 10_000

/**
 * Opens secrets, and keeps them by what they were sealed as: opening costs a delivery more than signing does. A rotated
 * or resealed secret is another sealed text, so that what is kept is never out of date.
 */
export function createSecretOpener(sealing: Sealing): (key: Key, sealed: string) => string {
  const opened = new Map<string, string>()
  return (key, sealed) => {
    const name = `${secretContext(key)}:${sealed}`
    const known = opened.get(name)
    if (known !== undefined) return known
    const secret = openSecret(sealing, key, sealed)
    if (opened.size >= MOST_OPENED) opened.clear()
    opened.set(name, secret)
    return secret
  }
}
