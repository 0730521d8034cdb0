import { createHmac, randomBytes } from 'node:crypto'

export const signaturePrefixes = ['sha256', 'v1'] as const
export type SignaturePrefix = (typeof signaturePrefixes)[number]

/**
 * A secret read this long ago may still sign. Rotation answers only when everything that was signed with the old secret
 * has been sent: nothing sent after its answer carries an old signature.
 */
export const SECRET_FRESH_MS = 250

/** `whsec_` and 32 random bytes. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64url')}`
}

/** The value of X-Webhook-Signature: HMAC-SHA256 under the whole secret string over `{timestamp}.{body}`. */
export function signatureOf(
  secret: string,
  timestamp: number,
  body: string | Uint8Array,
  prefix: SignaturePrefix,
): string {
  return `${prefix}=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`
}
