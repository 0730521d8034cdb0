import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memberOf, ownerOf } from '../../test/members.ts'
import { createWorld, type World } from '../../test/world.ts'

type Organization = { id: string; name: string; approvalThresholds: Record<string, number> }

const pathOf = ({ organizationId }: World) => `/v1/organizations/${organizationId}`

test('a change merges thresholds, null removes one, and what is not named stays', async (t) => {
  const world = await createWorld(t)
  const { headers } = await ownerOf(world)
  const change = async (body: object) => {
    const response = await world.patch(pathOf(world), body, headers)
    assert.equal(response.statusCode, 200, response.body)
    return response.json<{ data: Organization }>().data
  }
  assert.deepEqual((await change({ approvalThresholds: { NGN: 5000, XOF: 10 } })).approvalThresholds, {
    NGN: 5000,
    XOF: 10,
  })
  const merged = await change({ approvalThresholds: { NGN: 99.5, XOF: null } })
  assert.deepEqual([merged.name, merged.approvalThresholds], ['World', { NGN: 99.5 }])
  const renamed = await change({ name: 'Acme' })
  assert.deepEqual([renamed.name, renamed.approvalThresholds], ['Acme', { NGN: 99.5 }])
  assert.deepEqual((await world.get(pathOf(world))).json<{ data: Organization }>().data.approvalThresholds, {
    NGN: 99.5,
  })
})

test('a wrong change is refused with every fault', async (t) => {
  const world = await createWorld(t)
  const { headers } = await ownerOf(world)
  for (const [body, params] of [
    [{ name: null }, ['name']],
    [{ name: '' }, ['name']],
    [{ isActive: false }, ['isActive']],
    [{ approvalThresholds: { ABC: 1 } }, ['approvalThresholds.ABC']],
    [{ approvalThresholds: { NGN: 0, USD: -1 } }, ['approvalThresholds.NGN', 'approvalThresholds.USD']],
    [{ approvalThresholds: { NGN: 1.001, XOF: 1.5 } }, ['approvalThresholds.NGN', 'approvalThresholds.XOF']],
  ] as const) {
    const response = await world.patch(pathOf(world), body, headers)
    assert.equal(response.statusCode, 400, response.body)
    const { details } = response.json<{ error: { details: { param: string }[] } }>().error
    assert.deepEqual(details.map(({ param }) => param).toSorted(), params)
  }
})

test('only owner and admin change the organization, and only their own', async (t) => {
  const [world, other] = [await createWorld(t), await createWorld(t)]
  assert.equal((await world.patch(pathOf(world), { name: 'x' })).statusCode, 403)
  const developer = await memberOf(world, 'developer')
  assert.equal((await world.patch(pathOf(world), { name: 'x' }, developer.headers)).statusCode, 403)
  const admin = await memberOf(world, 'admin')
  assert.equal((await world.patch(pathOf(world), { name: 'x' }, admin.headers)).statusCode, 200)
  assert.equal((await world.patch(pathOf(other), { name: 'x' }, admin.headers)).statusCode, 404)
})
