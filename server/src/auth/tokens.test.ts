import assert from 'node:assert/strict'
import { createHmac, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import { memberOf, ownerOf } from '../../test/members.ts'
import { createService } from '../../test/service.ts'
import { createWorld, type World } from '../../test/world.ts'
import { keysOf } from '../local-secrets.ts'
import type { PrivateJwk } from '../setting-readers.ts'

type Parts = { header: Record<string, unknown>; payload: Record<string, unknown> }

function partsOf(token: string): Parts {
  const [header, payload] = token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as object)
  return { header, payload } as Parts
}

function write({ header, payload }: Parts, signed: (text: string) => Buffer): string {
  const text = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${signed(text).toString('base64url')}`
}

/** Signs as the deployment would: what is refused then is refused for what it says. */
function withOurKey(world: World) {
  const [jwk] = keysOf(world.service.deps.config).jwtKeys
  const key = createPrivateKey({ key: { ...jwk! }, format: 'jwk' })
  return (text: string) => sign(null, Buffer.from(text), key)
}

async function read(world: World, token: string): Promise<[status: number, code?: string]> {
  const response = await world.get('/v1/wallets', { authorization: `Bearer ${token}` })
  return [response.statusCode, response.json<{ error?: { code: string } }>().error?.code] as [number, string?]
}

test('only a token of this deployment, for this API, of this type and in its time is accepted', async (t) => {
  const world = await createWorld(t)
  const { token } = await memberOf(world, 'viewer')
  const { header, payload } = partsOf(token)
  const ours = withOurKey(world)
  const now = Math.floor(Date.now() / 1000)
  assert.equal((await read(world, write({ header, payload }, ours)))[0], 200)

  const wrong: Record<string, Parts> = {
    'another audience': { header, payload: { ...payload, aud: 'urn:other:api' } },
    'another issuer': { header, payload: { ...payload, iss: 'urn:kolo:production' } },
    'another type': { header: { ...header, typ: 'JWT' }, payload },
    'no type': { header: { alg: header['alg'], kid: header['kid'] }, payload },
    'no expiry': { header, payload: { ...payload, exp: undefined } },
    'not yet valid': { header, payload: { ...payload, nbf: now + 600 } },
    'an unknown key id': { header: { ...header, kid: 'other' }, payload },
    'no key id': { header: { ...header, kid: undefined }, payload },
    'a critical extension nobody knows': { header: { ...header, crit: ['x'], x: 1 }, payload },
  }
  for (const [what, parts] of Object.entries(wrong)) {
    assert.deepEqual(await read(world, write(parts, ours)), [401, 'credential_invalid'], what)
  }
  const expired = { header, payload: { ...payload, iat: now - 1000, exp: now - 1 } }
  assert.deepEqual(await read(world, write(expired, ours)), [401, 'credential_expired'])
})

test('a token without a signature, or signed by something else, is refused', async (t) => {
  const world = await createWorld(t)
  const { token } = await memberOf(world, 'viewer')
  const { header, payload } = partsOf(token)
  const [jwk] = keysOf(world.service.deps.config).jwtKeys
  const publicKey = Buffer.from(jwk!.x, 'base64url')
  const hmac = (key: Buffer | string) => (text: string) => createHmac('sha256', key).update(text).digest()
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const foreign = generateKeyPairSync('ed25519')
  const byForeign = (text: string) => sign(null, Buffer.from(text), foreign.privateKey)
  const attacks: Record<string, string> = {
    'alg none': write({ header: { ...header, alg: 'none' }, payload }, () => Buffer.alloc(0)),
    'alg None': write({ header: { ...header, alg: 'None' }, payload }, () => Buffer.alloc(0)),
    'no signature': `${token.split('.').slice(0, 2).join('.')}.`,
    'HMAC by the public key': write({ header: { ...header, alg: 'HS256' }, payload }, hmac(publicKey)),
    'HMAC by the public JWK': write({ header: { ...header, alg: 'HS256' }, payload }, hmac(jwk!.x)),
    RSA: write({ header: { ...header, alg: 'RS256' }, payload }, (text) =>
      sign('sha256', Buffer.from(text), rsa.privateKey),
    ),
    "another deployment's key": write({ header, payload }, byForeign),
    'a key brought along': write(
      { header: { ...header, kid: undefined, jwk: foreign.publicKey.export({ format: 'jwk' }) }, payload },
      byForeign,
    ),
    'a key by address': write({ header: { ...header, jku: 'http://127.0.0.1/keys' }, payload }, byForeign),
    'not a token': 'a.b.c',
  }
  for (const [what, attack] of Object.entries(attacks)) {
    assert.deepEqual(await read(world, attack), [401, 'credential_invalid'], what)
  }
})

test('a token whose payload was changed is refused', async (t) => {
  const [world, other] = [await createWorld(t), await createWorld(t)]
  const { token } = await memberOf(world, 'viewer')
  const owner = partsOf((await ownerOf(other)).token)
  const { header, payload } = partsOf(token)
  const signature = Buffer.from(token.split('.')[2]!, 'base64url')
  for (const change of [{ sub: owner.payload['sub'] }, { org: other.organizationId }, { exp: 4_102_444_800 }]) {
    const tampered = write({ header, payload: { ...payload, ...change } }, () => signature)
    assert.deepEqual(await read(world, tampered), [401, 'credential_invalid'])
  }
})

test('a signed token that mixes one session with another member is refused', async (t) => {
  const world = await createWorld(t)
  const [viewer, owner] = [await memberOf(world, 'viewer'), await ownerOf(world)]
  const { header, payload } = partsOf(viewer.token)
  const mixed = write({ header, payload: { ...payload, sub: owner.id } }, withOurKey(world))
  assert.deepEqual(await read(world, mixed), [401, 'credential_revoked'])
})

test('keys are rotated with overlap: an old token stays good while its key is configured, and no longer', async (t) => {
  const make = (kid: string) =>
    ({ ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), kid }) as PrivateJwk
  const [older, newer] = [make('older'), make('newer')]
  const first = await createService({ env: { KOLO_JWT_KEYS: JSON.stringify([older]) } })
  const world = await createWorld(t, first)
  const { token } = await ownerOf(world)
  const on = async (keys: PrivateJwk[]) => {
    const service = await createService({
      databaseUrl: first.databaseUrl,
      roles: ['api'],
      env: { KOLO_JWT_KEYS: JSON.stringify(keys) },
    })
    return {
      ...world,
      service,
      get: (path: string, headers = {}) => service.app.fastify.inject({ url: `/api${path}`, headers }),
    }
  }
  assert.equal((await read(await on([newer, older]), token))[0], 200)
  assert.deepEqual(await read(await on([newer]), token), [401, 'credential_invalid'])
})
