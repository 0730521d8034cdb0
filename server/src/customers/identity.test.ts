import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statement } from '../db/sql.ts'
import {
  ada,
  createCustomer,
  customerEvents,
  GOOD_BVN,
  MISMATCHED_BVN,
  readCustomer,
  refusedFields,
  UNANSWERED_BVN,
  type CustomerAnswer,
  type Refused,
} from '../../test/customers.ts'
import { createWorld } from '../../test/world.ts'

test('identityType and identityNumber come together', async (t) => {
  const world = await createWorld(t)
  assert.deepEqual(await refusedFields(world, { identityType: 'NIN' }), ['identityNumber'])
  assert.deepEqual(await refusedFields(world, { identityNumber: '123' }), ['identityType'])
  assert.deepEqual(await refusedFields(world, { identityType: 'BVN', identityNumber: '1234567890' }), [
    'identityNumber',
  ])
  assert.deepEqual(await refusedFields(world, { identityType: 'TAX', identityNumber: '1' }), ['identityType'])
})

test('a BVN is verified before the customer is saved, and never shown whole', async (t) => {
  const world = await createWorld(t)
  const identity = { identityType: 'BVN', identityNumber: GOOD_BVN }
  const customer = await createCustomer(world, identity)
  assert.equal(customer.identityNumber, '*******8901')
  assert.equal(customer.identityVerified, true)
  assert.equal(customer.identityVerifiedAt, customer.createdAt)
  assert.ok(!JSON.stringify(await customerEvents(world)).includes(GOOD_BVN))
  const kept = await world.service.deps.db.many(statement<{ row: string }>('select c::text as row from customers c'))
  assert.ok(!JSON.stringify(kept).includes(GOOD_BVN), 'encrypted at rest')
})

test('a BVN of somebody else is a 422 and one nobody answers for a 502; in both nothing is saved', async (t) => {
  const world = await createWorld(t)
  const bvn = (identityNumber: string) => ({ identityType: 'BVN', identityNumber })
  const mismatch = await world.post('/v1/customers', { ...ada, ...bvn(MISMATCHED_BVN) })
  assert.deepEqual([mismatch.statusCode, mismatch.json<Refused>().error.code], [422, 'identity_mismatch'])
  const silent = await world.post('/v1/customers', { ...ada, ...bvn(UNANSWERED_BVN) })
  assert.deepEqual([silent.statusCode, silent.json<Refused>().error.code], [502, 'identity_provider_unavailable'])
  const customer = await createCustomer(world)
  for (const wrong of [MISMATCHED_BVN, UNANSWERED_BVN]) {
    const path = `/v1/customers/${customer.id}`
    assert.ok((await world.put(path, { bvn: wrong, firstName: 'Eve' })).statusCode >= 422)
    assert.ok((await world.put(path, { ...bvn(wrong), email: 'eve@x.ng' })).statusCode >= 422)
  }
  assert.deepEqual(await readCustomer(world, customer.id), customer)
  assert.equal((await customerEvents(world)).length, 1)
})

test('a registry that is away for one BVN is asked about the next one all the same', async (t) => {
  const world = await createWorld(t)
  for (let n = 0; n < 7; n += 1) {
    const identity = { identityType: 'BVN', identityNumber: UNANSWERED_BVN }
    assert.equal((await world.post('/v1/customers', { ...ada, ...identity })).statusCode, 502)
  }
  assert.equal((await createCustomer(world, { identityType: 'BVN', identityNumber: GOOD_BVN })).identityVerified, true)
})

test('bvn is short for an identity, replaces an earlier one, and contradicts no other', async (t) => {
  const world = await createWorld(t)
  const { id } = await createCustomer(world, { identityType: 'NIN', identityNumber: '98765432109' })
  const path = `/v1/customers/${id}`
  const update = async (body: object) => await world.put(path, body)
  assert.equal((await update({ bvn: GOOD_BVN, identityNumber: '12345678902' })).statusCode, 400)
  assert.equal((await update({ bvn: GOOD_BVN, identityType: 'NIN' })).statusCode, 400)
  assert.equal((await update({ bvn: '1234567890' })).statusCode, 400)
  assert.equal((await update({ identityNumber: GOOD_BVN })).statusCode, 400)
  const verified = (await update({ bvn: GOOD_BVN, identityNumber: GOOD_BVN })).json<CustomerAnswer>().data
  assert.deepEqual([verified.identityType, verified.identityNumber], ['BVN', '*******8901'])
  assert.equal(verified.identityVerifiedAt, verified.updatedAt)
  // The masks are equal, the numbers are not.
  await update({ identityType: 'BVN', identityNumber: '99999998901' })
  const [newest, first] = await customerEvents(world)
  assert.deepEqual(newest?.data.changedFields, ['identityNumber', 'identityVerifiedAt'])
  assert.deepEqual(first?.data.changedFields, [
    'identityType',
    'identityNumber',
    'identityVerified',
    'identityVerifiedAt',
  ])
  const cleared = (await update({ identityType: null, identityNumber: null })).json<CustomerAnswer>().data
  assert.deepEqual([cleared.identityType, cleared.identityNumber, cleared.identityVerified], [null, null, false])
})

test('another name or birthday without a BVN is no longer verified', async (t) => {
  const world = await createWorld(t)
  const { id } = await createCustomer(world, { identityType: 'BVN', identityNumber: GOOD_BVN })
  const update = async (body: object) => (await world.put(`/v1/customers/${id}`, body)).json<CustomerAnswer>().data
  assert.equal((await update({ phone: '08012345678', firstName: 'Ada' })).identityVerified, true)
  assert.deepEqual(
    await update({ firstName: 'Eve' }).then((c) => [c.identityVerified, c.identityVerifiedAt, c.identityType]),
    [false, null, 'BVN'],
  )
  assert.equal((await update({ dateOfBirth: '1990-01-01', bvn: GOOD_BVN })).identityVerified, true)
  assert.equal((await update({ dateOfBirth: '1990-01-02' })).identityVerified, false)
})
