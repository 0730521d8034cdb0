import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signIn } from '../../test/members.ts'
import { finishKolo } from '../../test/process.ts'
import { createWorld, eventually } from '../../test/world.ts'

test('an operator makes a member, resets the password, lists keys and revokes one', async (t) => {
  const world = await createWorld(t)
  const { databaseUrl, deps } = world.service
  const on = { dataDir: deps.config.dataDir, env: { DATABASE_URL: databaseUrl } }
  const kolo = async (...words: string[]) => {
    const { code, stdout, stderr } = await finishKolo(words, on)
    assert.equal(code, 0, stderr)
    return stdout
  }
  const email = `operator-made-${world.organizationId}@members.example`
  const made = JSON.parse(
    await kolo('member', 'create', '--org', world.organizationId, '--email', email, '--role', 'admin', '--json'),
  ) as { password: string }
  const member = await signIn(world, email, made.password)

  const reset = JSON.parse(await kolo('member', 'reset', '--email', email, '--json')) as { password: string }
  await eventually(
    'the session is over',
    async () => (await world.get('/v1/wallets', member.headers)).statusCode === 401,
    1_000,
  )
  const again = await signIn(world, email, reset.password)

  const keys = JSON.parse(await kolo('key', 'list', '--org', world.organizationId, '--json')) as { id: string }[]
  assert.equal(keys.length, 1)
  await kolo('key', 'revoke', '--org', world.organizationId, '--id', keys[0]!.id)
  await eventually('the key is refused', async () => (await world.get('/v1/wallets')).statusCode === 401, 1_000)

  const log = await world.get(`/v1/organizations/${world.organizationId}/audit-log`, again.headers)
  const { auditEntries } = log.json<{ data: { auditEntries: { action: string; actor: { type: string } }[] } }>().data
  assert.deepEqual(
    auditEntries.filter(({ actor }) => actor.type === 'operator').map(({ action }) => action),
    ['api_key.revoked', 'member.password_reset', 'member.created', 'api_key.created', 'organization.created'],
  )
  const wrong = await finishKolo(['member', 'reset', '--email', 'nobody@nowhere.example'], on)
  assert.equal(wrong.code, 1)
})
