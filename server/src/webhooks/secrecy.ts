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
