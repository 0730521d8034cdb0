import { timingSafeEqual } from 'node:crypto'
import type { Secrets } from '../secrets.ts'

/** A refresh token names a session and its place in the row of tokens of that session; a keyed digest vouches for it. */
export type RefreshToken = { readonly organizationId: string; readonly sessionId: string; readonly generation: number }

const shape = /^([A-Za-z0-9_-]{1,32})\.([0-9a-f-]{36})\.([0-9a-f-]{36})\.(\d{1,9})\.([A-Za-z0-9_-]{43})$/

export function writeRefreshToken(secrets: Secrets, token: RefreshToken): string {
  return `${contentOf(secrets.keyId, token)}.${macOf(secrets, secrets.keyId, token).toString('base64url')}`
}

/** The token, if this deployment made it. Whether it still counts, the session knows. */
export function readRefreshToken(secrets: Secrets, text: string): RefreshToken | undefined {
  const [, keyId, organizationId, sessionId, generation, mac] = shape.exec(text) ?? []
  if (!keyId || !organizationId || !sessionId || !generation || !mac || !secrets.knows(keyId)) return undefined
  const token = { organizationId, sessionId, generation: Number(generation) }
  return timingSafeEqual(macOf(secrets, keyId, token), Buffer.from(mac, 'base64url')) ? token : undefined
}

function contentOf(keyId: string, { organizationId, sessionId, generation }: RefreshToken): string {
  return `${keyId}.${organizationId}.${sessionId}.${generation}`
}

function macOf(secrets: Secrets, keyId: string, token: RefreshToken): Buffer {
  return secrets.mac('refresh-token', contentOf(keyId, token), keyId)
}
