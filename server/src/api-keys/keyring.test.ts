import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, eventually, type World } from '../../test/world.ts'
import { statement } from '../db/sql.ts'
import { makeApiKey } from './api-key.ts'
import { addApiKey } from './operations.ts'

async function keyOf(world: World, wish: { scopes?: string[]; expiresAt?: Date } = {}) {
  const { deps } = world.service
  const { scopes = ['*'], expiresAt = null } = wish
  const made = { name: 'till', scopes, expiresAt, actor: { type: 'operator' } as const }
  return deps.db.transaction((tx) => addApiKey(deps, tx, world.organizationId, made))
}

function as(key: string) {
  return { authorization: `Bearer ${key}` }
}

async function codeOf(world: World, key: string, path = '/v1/wallets'): Promise<[number, string]> {
  const answer = await world.get(path, as(key))
  if (answer.statusCode === 401) assert.equal(answer.headers['www-authenticate'], 'Bearer')
  return [answer.statusCode, answer.statusCode < 300 ? '' : answer.json<{ error: { code: string } }>().error.code]
}

test('a key has the prefix of its environment, at least 160 random bits and a checksum', async (t) => {
  const world = await createWorld(t)
  assert.match(world.apiKey, /^kolo_sk_local_[A-Za-z0-9_-]{32}[0-9a-f]{8}$/)
  const [one, other] = [makeApiKey('sandbox'), makeApiKey('production')]
  assert.match(one, /^kolo_sk_test_/)
  assert.match(other, /^kolo_sk_live_/)
  const mistyped = world.apiKey.slice(0, -9) + (world.apiKey.at(-9) === 'x' ? 'y' : 'x') + world.apiKey.slice(-8)
  assert.deepEqual(await codeOf(world, mistyped), [401, 'credential_invalid'])
  assert.deepEqual(await codeOf(world, makeApiKey('local')), [401, 'credential_invalid'])
})

test('a key of another environment is a 401 that says so', async (t) => {
  const world = await createWorld(t)
  assert.deepEqual(await codeOf(world, makeApiKey('production')), [401, 'credential_of_other_environment'])
  assert.deepEqual(await codeOf(world, makeApiKey('sandbox')), [401, 'credential_of_other_environment'])
  const relabelled = world.apiKey.replace('_local_', '_live_')
  assert.deepEqual(await codeOf(world, relabelled), [401, 'credential_of_other_environment'])
})

test('no credential, another scheme and an empty one are each a 401', async (t) => {
  const world = await createWorld(t)
  for (const authorization of ['', 'Basic a2V5Og==', 'Bearer', 'Bearer ', world.apiKey, `Bearer ${world.apiKey} x`]) {
    const answer = await world.get('/v1/wallets', { authorization })
    assert.equal(answer.statusCode, 401, authorization)
    assert.equal(answer.json<{ error: { type: string } }>().error.type, 'authentication')
  }
})

test('a key is kept as its hash alone', async (t) => {
  const world = await createWorld(t)
  const rows = await world.service.deps.db.many<{ text: string }>(
    statement(`select k::text || d.hash::text as text from api_keys k
                 join api_key_directory d on d.organization_id = k.organization_id and d.api_key_id = k.id
                where k.organization_id = $1`),
    [world.organizationId],
  )
  assert.equal(rows.length, 1)
  assert(!rows[0]!.text.includes(world.apiKey.slice(14, 40)))
})

test('scopes limit a key, and writing includes reading', async (t) => {
  const world = await createWorld(t)
  const { key: reader } = await keyOf(world, { scopes: ['transfers:read'] })
  const { key: writer } = await keyOf(world, { scopes: ['transfers:write'] })
  assert.deepEqual(await codeOf(world, reader, '/v1/transfers'), [200, ''])
  assert.deepEqual(await codeOf(world, writer, '/v1/transfers'), [200, ''])
  assert.deepEqual(await codeOf(world, reader, '/v1/wallets'), [403, 'scope_missing'])
  const refused = await world.post('/v1/transfers', {}, as(reader))
  assert.equal(refused.statusCode, 403)
  assert.match(refused.json<{ error: { message: string } }>().error.message, /transfers:write/)
  assert.equal((await world.post('/v1/transfers', {}, as(writer))).statusCode, 400)
})

test('a key expires by the service clock', async (t) => {
  const world = await createWorld(t)
  const { key } = await keyOf(world, { expiresAt: new Date(world.service.deps.now().getTime() + 60_000) })
  assert.deepEqual(await codeOf(world, key), [200, ''])
  await world.advance(61)
  assert.deepEqual(await codeOf(world, key), [401, 'credential_expired'])
})

test('the last use of a key is noted', async (t) => {
  const world = await createWorld(t)
  const { key, id } = await keyOf(world)
  const lastUse = () =>
    world.service.deps.db.one<{ at: Date | null }>(
      statement('select last_used_at as at from api_keys where organization_id = $1 and id = $2'),
      [world.organizationId, id],
    )
  assert.equal((await lastUse()).at, null)
  await world.get('/v1/wallets', as(key))
  await eventually('it is noted', async () => (await lastUse()).at !== null)
})
