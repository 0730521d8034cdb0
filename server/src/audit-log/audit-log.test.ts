import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import pg from 'pg'
import { memberOf, ownerOf } from '../../test/members.ts'
import { createWorld, type World } from '../../test/world.ts'
import { auditOrganization } from '../audit/operations.ts'

type Entry = {
  id: string
  at: string
  actor: { type: string; id: string | null; email: string | null }
  action: string
  resourceType: string
  resourceId: string
  ip: string | null
  changes: Record<string, { from: unknown; to: unknown }>
}

async function entriesOf(world: World, headers: Record<string, string>, query = ''): Promise<Entry[]> {
  const response = await world.get(`/v1/organizations/${world.organizationId}/audit-log${query}`, headers)
  assert.equal(response.statusCode, 200, response.body)
  return response.json<{ data: { auditEntries: Entry[] } }>().data.auditEntries
}

/** Changes rows as somebody with the database's password could: the guards are switched off. */
async function tamper(world: World, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: world.service.databaseUrl })
  await client.connect()
  await client.query('set session_replication_role = replica')
  await client.query(statement.replaceAll('$organization', `'${world.organizationId}'`))
  await client.end()
}

function verify({ service, organizationId }: World) {
  return auditOrganization(service.deps, organizationId)
}

test('acts are listed newest first, with who, what, where and the changes', async (t) => {
  const world = await createWorld(t)
  const owner = await ownerOf(world)
  const path = `/v1/organizations/${world.organizationId}`
  await world.patch(path, { name: 'New name', approvalThresholds: { NGN: 5000 } }, owner.headers)
  const [newest] = await entriesOf(world, owner.headers)
  assert.deepEqual(
    { ...newest, id: '', at: '' },
    {
      id: '',
      at: '',
      actor: { type: 'member', id: owner.id, email: world.email },
      action: 'organization.updated',
      resourceType: 'organization',
      resourceId: world.organizationId,
      ip: '127.0.0.1',
      changes: { name: { from: 'World', to: 'New name' }, approvalThresholds: { from: {}, to: { NGN: 5000 } } },
    },
  )
  const actions = (await entriesOf(world, owner.headers)).map(({ action }) => action)
  assert.deepEqual(actions, ['organization.updated', 'member.signed_in', 'api_key.created', 'organization.created'])
  assert.equal((await entriesOf(world, owner.headers, '?action=member.signed_in')).length, 1)
  assert.equal((await entriesOf(world, owner.headers, '?limit=2')).length, 2)
})

test('the log carries no secret', async (t) => {
  const world = await createWorld(t)
  const owner = await ownerOf(world)
  const path = `/v1/organizations/${world.organizationId}`
  const made = await world.post(`${path}/api-keys`, { name: 'Key' }, owner.headers)
  const invited = await world.post(
    `${path}/members`,
    { email: `${randomUUID()}@x.example`, role: 'viewer' },
    owner.headers,
  )
  await world.post('/v1/auth/password', { current: world.password, new: 'a secret new password' }, owner.headers)
  const { key } = made.json<{ data: { key: string } }>().data
  const { inviteUrl } = invited.json<{ data: { inviteUrl: string } }>().data
  const entries = await entriesOf(world, owner.headers)
  const text = JSON.stringify(entries)
  for (const secret of [
    key,
    key.slice(-12),
    inviteUrl.split('/').at(-1)!,
    world.password,
    'a secret new password',
    'scrypt',
  ])
    assert(!text.includes(secret))
  assert.deepEqual(
    entries.slice(0, 3).map(({ action }) => action),
    ['member.password_changed', 'member.invited', 'api_key.created'],
  )
})

test('every write of a member is in the log, with or without an Idempotency-Key; reads and keys are not', async (t) => {
  const world = await createWorld(t)
  const owner = await ownerOf(world)
  await world.fund('NGN', 15_000)
  const wish = { sourceCurrency: 'NGN', targetCurrency: 'USD', sourceAmount: 1_500 }
  const send = (reference: string, headers = {}) => world.post('/v1/transfers', { ...wish, reference }, headers)
  const made = await send('one', owner.headers)
  assert.equal(made.statusCode, 201, made.body)
  const keyed = { ...owner.headers, 'idempotency-key': randomUUID() }
  for (const headers of [keyed, keyed]) assert.equal((await send('two', headers)).statusCode, 201)
  assert.equal((await send('one', owner.headers)).statusCode, 409)
  assert.equal((await send('three')).statusCode, 201)
  await world.get('/v1/transfers', owner.headers)
  const entries = await entriesOf(world, owner.headers, '?action=createTransfer')
  assert.equal(entries.length, 2)
  const { actor, resourceType, resourceId } = entries[1]!
  assert.deepEqual(
    [actor.id, resourceType, resourceId],
    [owner.id, 'transfer', made.json<{ data: { id: string } }>().data.id],
  )
})

test('owner and admin read the log; others and keys do not', async (t) => {
  const world = await createWorld(t)
  const path = `/v1/organizations/${world.organizationId}/audit-log`
  assert.equal((await world.get(path)).statusCode, 403)
  for (const role of ['viewer', 'approver', 'developer'] as const)
    assert.equal((await world.get(path, (await memberOf(world, role)).headers)).statusCode, 403)
  assert.equal((await world.get(path, (await memberOf(world, 'admin')).headers)).statusCode, 200)
})

test('entries can be neither changed nor removed', async (t) => {
  const world = await createWorld(t)
  const client = new pg.Client({ connectionString: world.service.databaseUrl })
  await client.connect()
  t.after(() => client.end())
  for (const statement of [`update audit_log set action = 'x'`, 'delete from audit_log', 'truncate audit_log'])
    await assert.rejects(client.query(statement), /never changed or removed/)
})

test('the log of acts at once is whole', async (t) => {
  const world = await createWorld(t)
  const owner = await ownerOf(world)
  const path = `/v1/organizations/${world.organizationId}/api-keys`
  await Promise.all(Array.from({ length: 20 }, (_, index) => world.post(path, { name: `${index}` }, owner.headers)))
  assert.equal((await entriesOf(world, owner.headers, '?action=api_key.created&limit=100')).length, 21)
  assert.deepEqual(await verify(world), [])
})

const renumber = (from: number, to: number) =>
  `update audit_log set number = ${to} where organization_id = $organization and number = ${from}`

for (const [what, statement, expected] of [
  [
    'a changed entry',
    `update audit_log set changes = '{}' where organization_id = $organization and number = 2`,
    ['audit log, entry 2: it was changed, or what stands before it was'],
  ],
  [
    'another actor',
    `update audit_log set actor_label = 'x@y.example' where organization_id = $organization and number = 3`,
    ['audit log, entry 3: it was changed, or what stands before it was'],
  ],
  [
    'a missing entry',
    'delete from audit_log where organization_id = $organization and number = 2',
    ['audit log, entry 2: it is missing'],
  ],
  [
    'a missing last entry',
    'delete from audit_log where organization_id = $organization and number = 3',
    ['audit log, entry 3: it is missing'],
  ],
  [
    'two entries exchanged',
    [renumber(1, 0), renumber(2, 1), renumber(0, 2)].join('; '),
    [
      'audit log, entry 1: it was changed, or what stands before it was',
      'audit log, entry 2: it was changed, or what stands before it was',
      'audit log, entry 3: it was changed, or what stands before it was',
    ],
  ],
  [
    'an entry added by hand',
    `insert into audit_log select organization_id, gen_random_uuid(), 4, at, actor_type, actor_id, actor_label, action, resource_type, resource_id, ip, changes, mac, key_id from audit_log where organization_id = $organization and number = 3`,
    ['audit log, entry 4: it was added behind the end of the log'],
  ],
] as const) {
  test(`${what} is named`, async (t) => {
    const world = await createWorld(t, undefined, { isAudited: false })
    await ownerOf(world)
    assert.deepEqual(await verify(world), [])
    await tamper(world, statement)
    const found = (await verify(world)).map(({ check, subject, says }) => `${check}, ${subject}: ${says}`)
    assert.deepEqual(found, expected)
  })
}
