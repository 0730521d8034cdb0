import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addApiKey } from '../src/api-keys/operations.ts'
import { covers, keyScopes, permissions, type OperationId, type Permission } from '../src/http/permissions.ts'
import { roles, type Role } from '../src/organizations/schema.ts'
import { memberOf } from './members.ts'
import { createWorld, type World } from './world.ts'

type Operation = { operationId: OperationId; security: object[]; 'x-scope'?: string | null; 'x-roles'?: string[] }
type Call = Operation & { readonly method: string; readonly path: string }

/** Every operation of the API description. */
async function operationsOf({ service }: World): Promise<Call[]> {
  const document = (await service.app.fastify.inject('/openapi.json')).json<{
    paths: Record<string, Record<string, Operation>>
  }>()
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
  )
}

const anId = '00000000-0000-7000-8000-000000000000'

/** Why a caller was turned away at the door; undefined when it got past it, whatever came after. */
async function refusalOf({ service }: World, call: Call, credential: string): Promise<string | undefined> {
  const response = await service.app.fastify.inject({
    method: call.method.toUpperCase() as 'GET',
    url: `/api${call.path.replaceAll(/\{\w+\}/g, anId)}`,
    headers: { authorization: `Bearer ${credential}` },
  })
  assert.notEqual(response.statusCode, 401, `${call.method} ${call.path}: ${response.body}`)
  assert(response.statusCode < 500, `${call.method} ${call.path}: ${response.body}`)
  return response.statusCode === 403 ? response.json<{ error: { code: string } }>().error.code : undefined
}

const rowOf = ({ operationId }: Call): Permission => permissions[operationId]

test('the API description says of every operation what the permission table says', async (t) => {
  const world = await createWorld(t)
  const operations = await operationsOf(world)
  for (const call of operations) {
    const { scope, roles: allowed, isPublic } = rowOf(call)
    assert.equal(call.security.length, isPublic ? 0 : 2, call.operationId)
    if (isPublic) continue
    assert.deepEqual([call['x-scope'], call['x-roles']], [scope, allowed], call.operationId)
  }
  const described = new Set(operations.map(({ operationId }) => operationId))
  assert.deepEqual(
    Object.keys(permissions).filter((operationId) => !described.has(operationId as OperationId)),
    [],
    'the table has rows of operations that do not exist',
  )
})

test('every operation admits exactly the roles of the table', async (t) => {
  const world = await createWorld(t)
  const operations = (await operationsOf(world)).filter((call) => !rowOf(call).isPublic)
  for (const role of roles) {
    const { token } = await memberOf(world, role)
    for (const call of operations) {
      const expected = rowOf(call).roles.includes(role) ? undefined : 'role_missing'
      assert.equal(await refusalOf(world, call, token), expected, `${role}: ${call.method} ${call.path}`)
    }
  }
})

test('every operation admits exactly the scopes of the table', async (t) => {
  const world = await createWorld(t)
  const { deps } = world.service
  const operations = (await operationsOf(world)).filter((call) => !rowOf(call).isPublic)
  for (const scope of keyScopes) {
    const wish = { name: scope, scopes: [scope], expiresAt: null, actor: { type: 'operator' } } as const
    const { key } = await deps.db.transaction((tx) => addApiKey(deps, tx, world.organizationId, wish))
    for (const call of operations) {
      const needed = rowOf(call).scope
      const expected = needed === null ? 'member_required' : covers([scope], needed) ? undefined : 'scope_missing'
      assert.equal(await refusalOf(world, call, key), expected, `${scope}: ${call.method} ${call.path}`)
    }
  }
})

test('the table is what the contract says of each role', async (t) => {
  const operations = (await operationsOf(await createWorld(t))).filter((call) => !rowOf(call).isPublic)
  const idsOf = (calls: Call[]) => calls.map(({ operationId }) => operationId).toSorted()
  const [reads, writes] = [
    operations.filter(({ method }) => method === 'get'),
    operations.filter(({ method }) => method !== 'get'),
  ]
  const closed = reads.filter((call) => !rowOf(call).roles.includes('viewer'))
  assert.deepEqual(idsOf(closed), ['listApiKeys', 'listAuditEntries'], 'a viewer reads everything else')
  const allowed = (role: Role) => idsOf(writes.filter((call) => rowOf(call).roles.includes(role)))
  assert.deepEqual(allowed('viewer'), ['changePassword'])
  const decisions = idsOf(writes.filter(({ path }) => /^\/v1\/payouts\/\{\w+\}\/(approve|reject)$/.test(path)))
  assert.deepEqual(allowed('approver'), [...decisions, 'changePassword'].toSorted())
  const built = writes.filter((call) =>
    /^(customers|virtual-accounts|payments|webhooks|sandbox):/.test(rowOf(call).scope ?? ''),
  )
  assert.deepEqual(allowed('developer'), [...idsOf(built), 'changePassword', 'createApiKey'].toSorted())
  assert.deepEqual(allowed('admin'), idsOf(writes))
  assert.deepEqual(allowed('owner'), idsOf(writes))
})
