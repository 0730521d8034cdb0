import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import { unauthenticated } from '../api-keys/keyring.ts'
import { wallNow } from '../clock.ts'
import type { Environment } from '../config.ts'
import type { PrivateJwk } from '../setting-readers.ts'

/** What a token says: whose session it belongs to. Role and rights are read from the member at every request. */
export type TokenClaims = { readonly organizationId: string; readonly memberId: string; readonly sessionId: string }

export type Tokens = {
  issue(claims: TokenClaims): Promise<{ token: string; expiresAt: Date }>
  /** The claims of a token this deployment made and that has not expired; refuses all others. */
  read(token: string): Promise<TokenClaims>
}

const LIFE_MS = 15 * 60 * 1000
const ALGORITHM = 'EdDSA'
const TYPE = 'at+jwt'
/** Tokens whose signature was found good, so that a busy member costs one verification. Begins anew past this many. */
const MOST_REMEMBERED = 5_000

/** The first key signs, all of them verify: a new key is put first, the old one removed 15 minutes later. */
export function createTokens(keys: readonly PrivateJwk[], env: Environment): Tokens {
  const [signing] = keys
  if (!signing) throw new Error('createTokens needs at least one key.')
  const signingKey = createPrivateKey({ key: { ...signing }, format: 'jwk' })
  const verifyingKeys = new Map(
    keys.map((key) => [key.kid, createPublicKey(createPrivateKey({ key: { ...key }, format: 'jwk' }))]),
  )
  const [issuer, audience] = [`urn:kolo:${env}`, `urn:kolo:${env}:api`]
  const verified = new Map<string, { claims: TokenClaims; expiresMs: number }>()

  // The key is chosen among ours by its name; whatever else the header brings (jwk, jku, x5u) is not looked at.
  function keyOf({ kid }: { kid?: string }): KeyObject {
    const key = kid === undefined ? undefined : verifyingKeys.get(kid)
    if (!key) throw new errors.JWSSignatureVerificationFailed()
    return key
  }

  async function verify(token: string): Promise<{ claims: TokenClaims; expiresMs: number }> {
    const { payload } = await jwtVerify(token, keyOf, {
      algorithms: [ALGORITHM],
      typ: TYPE,
      issuer,
      audience,
      requiredClaims: ['exp', 'iat', 'sub', 'org', 'sid'],
      currentDate: wallNow(),
    })
    const { sub, org, sid, exp } = payload as { sub: string; org: string; sid: string; exp: number }
    return { claims: { memberId: sub, organizationId: org, sessionId: sid }, expiresMs: exp * 1000 }
  }

  return {
    async issue({ organizationId, memberId, sessionId }) {
      const expiresAt = new Date(Math.floor((wallNow().getTime() + LIFE_MS) / 1000) * 1000)
      const token = await new SignJWT({ org: organizationId, sid: sessionId })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: signing.kid })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(memberId)
        .setIssuedAt(wallNow())
        .setExpirationTime(expiresAt)
        .sign(signingKey)
      return { token, expiresAt }
    },
    async read(token) {
      const known = verified.get(token)
      if (known && known.expiresMs > wallNow().getTime()) return known.claims
      verified.delete(token)
      try {
        const found = await verify(token)
        if (verified.size >= MOST_REMEMBERED) verified.clear()
        verified.set(token, found)
        return found.claims
      } catch (error) {
        if (error instanceof errors.JWTExpired) throw unauthenticated('credential_expired')
        if (error instanceof errors.JOSEError) throw unauthenticated('credential_invalid')
        throw error
      }
    },
  }
}
