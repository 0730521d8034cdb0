import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { memberOf, ownerOf } from '../../test/members.ts'
import { createService } from '../../test/service.ts'
import { createWorld, eventually, type World } from '../../test/world.ts'
import { revokeApiKey } from './operations.ts'

type ApiKey = {
  id: string
  key?: string
  prefix: string
  lastFour: string
  scopes: string[]
  createdBy: string | null
  lastUsedAt: string | null
  revokedAt: string | null
}

const codeOf = (response: { json<T>(): T }) => response.json<{ error: { code: string } }>().error.code
const pathOf = ({ organizationId }: World, id = '') => `/v1/organizations/${organizationId}/api-keys${id && `/${id}`}`

async function make(
  world: World,
  headers: Record<string, string>,
  wish: object = {},
): Promise<ApiKey & { key: string }> {
  const response = await world.post(pathOf(world), { name: 'Key', ...wish }, headers)
  assert.equal(response.statusCode, 201, response.body)
  return response.json<{ data: ApiKey & { key: string } }>().data
}

async function list(world: World, headers: Record<string, string>): Promise<ApiKey[]> {
  return (await world.get(pathOf(world), headers)).json<{ data: { apiKeys: ApiKey[] } }>().data.apiKeys
}

test('a key is shown once; the list shows what it is, who made it and when it was used', async (t) => {
  const world = await createWorld(t)
  const owner = await ownerOf(world)
  const made = await make(world, owner.headers)
  assert.deepEqual(made.scopes, ['*'])
  assert.equal((await world.get('/v1/wallets', { authorization: `Bearer ${made.key}` })).statusCode, 200)
  await eventually('its use is noted', async () => (await list(world, owner.headers))[0]?.lastUsedAt !== null)
  const [listed, first] = await list(world, owner.headers)
  assert.equal(listed?.id, made.id)
  assert.equal(listed?.createdBy, owner.id)
  assert.equal(first?.createdBy, null)
  assert.equal(listed?.lastFour, made.key.slice(-4))
  assert(made.key.startsWith(listed?.prefix ?? '-'))
  assert(!JSON.stringify(listed).includes(made.key))
})

test('a repeated creation answers the same key, kept encrypted', async (t) => {
  const world = await createWorld(t)
  const owner = await ownerOf(world)
  const headers = { ...owner.headers, 'idempotency-key': randomUUID() }
  const [first, again] = [await make(world, headers), await make(world, headers)]
  assert.equal(again.key, first.key)
  assert.equal((await list(world, owner.headers)).length, 2)
  const kept = await world.service.deps.db.many<{ body: string }>(
    { name: 'kept_bodies', text: 'select body from idempotency_keys where organization_id = $1' },
    [world.organizationId],
  )
  assert(kept.length === 1 && !kept[0]!.body.includes(first.key))
})

test('a developer makes keys with no scope beyond what a developer may do', async (t) => {
  const world = await createWorld(t)
  const developer = await memberOf(world, 'developer')
  const scopes = [
    'payments:write',
    'customers:write',
    'webhooks:write',
    'sandbox:write',
    'payouts:read',
    'wallets:read',
  ]
  const made = await make(world, developer.headers, { scopes })
  assert.equal(made.createdBy, developer.id)
  for (const wish of [
    {},
    { scopes: null },
    { scopes: ['*'] },
    { scopes: ['payouts:write'] },
    { scopes: ['payments:write', 'transfers:write'] },
  ]) {
    assert.equal(codeOf(await world.post(pathOf(world), { name: 'Key', ...wish }, developer.headers)), 'role_missing')
  }
  assert.equal(codeOf(await world.get(pathOf(world), developer.headers)), 'role_missing')
  assert.equal(codeOf(await world.delete(pathOf(world, made.id), developer.headers)), 'role_missing')
})

test("a developer cannot have an owner's key by repeating the owner's request", async (t) => {
  const world = await createWorld(t)
  const [owner, developer] = [await ownerOf(world), await memberOf(world, 'developer')]
  const key = { 'idempotency-key': randomUUID() }
  await make(world, { ...owner.headers, ...key })
  const stolen = await world.post(pathOf(world), { name: 'Key' }, { ...developer.headers, ...key })
  assert.equal(codeOf(stolen), 'role_missing')
})

test('a key cannot make, list or revoke keys', async (t) => {
  const world = await createWorld(t)
  assert.equal(codeOf(await world.post(pathOf(world), { name: 'Key' })), 'member_required')
  assert.equal(codeOf(await world.get(pathOf(world))), 'member_required')
  assert.equal(codeOf(await world.delete(pathOf(world, randomUUID()))), 'member_required')
})

test('scopes that do not exist, none at all, and an end in the past are refused', async (t) => {
  const world = await createWorld(t)
  const owner = await ownerOf(world)
  for (const wish of [{ scopes: [] }, { scopes: ['payments'] }, { scopes: ['x:read'] }, { expiresAt: '2020-01-01' }]) {
    assert.equal(codeOf(await world.post(pathOf(world), { name: 'Key', ...wish }, owner.headers)), 'invalid_request')
  }
})

test('a key ends at its hour', async (t) => {
  const world = await createWorld(t)
  const owner = await ownerOf(world)
  const expiresAt = new Date(world.service.deps.now().getTime() + 3_600_000).toISOString()
  const { key } = await make(world, owner.headers, { expiresAt })
  const read = () => world.get('/v1/wallets', { authorization: `Bearer ${key}` })
  assert.equal((await read()).statusCode, 200)
  await world.advance(3_601)
  assert.equal(codeOf(await read()), 'credential_expired')
})

test('a revoked key is refused at once here, and within a second in another process', async (t) => {
  const world = await createWorld(t)
  const owner = await ownerOf(world)
  const other = await createService({ databaseUrl: world.service.databaseUrl, roles: ['api'] })
  const { id, key } = await make(world, owner.headers)
  const headers = { authorization: `Bearer ${key}` }
  const elsewhere = async () => (await other.app.fastify.inject({ url: '/api/v1/wallets', headers })).statusCode
  assert.equal((await world.get('/v1/wallets', headers)).statusCode, 200)
  assert.equal(await elsewhere(), 200)
  const revoked = await world.delete(pathOf(world, id), owner.headers)
  assert.equal(revoked.statusCode, 200)
  const at = performance.now()
  assert.equal(codeOf(await world.get('/v1/wallets', headers)), 'credential_revoked')
  await eventually('the other process refuses it', async () => (await elsewhere()) === 401, 1_000)
  assert(performance.now() - at < 1_000)
  assert.equal((await world.delete(pathOf(world, id), owner.headers)).statusCode, 200)
})

test('a key revoked where no hint is sent, as at the command line, is refused within a second', async (t) => {
  const world = await createWorld(t)
  const { id, key } = await make(world, (await ownerOf(world)).headers)
  const headers = { authorization: `Bearer ${key}` }
  assert.equal((await world.get('/v1/wallets', headers)).statusCode, 200)
  const { deps } = world.service
  const silent = {
    ...deps,
    db: {
      ...deps.db,
      transaction: <T>(work: Parameters<typeof deps.db.transaction<T>>[0]) =>
        deps.db.transaction<T>((tx) => work({ ...tx, wake: () => undefined })),
    },
  }
  await revokeApiKey(silent, world.organizationId, { type: 'operator' }, id)
  await eventually('it is refused', async () => (await world.get('/v1/wallets', headers)).statusCode === 401, 1_000)
})
