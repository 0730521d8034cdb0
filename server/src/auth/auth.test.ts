import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '../../test/world.ts'

test('a member signs in and reads with the token', async (t) => {
  const world = await createWorld(t)
  const response = await world.post(
    '/v1/auth/login',
    { email: world.email, password: world.password },
    { authorization: '' },
  )
  assert.equal(response.statusCode, 200, response.body)
  const { token } = response.json<{ data: { token: string } }>().data
  const read = await world.get('/v1/wallets', { authorization: `Bearer ${token}` })
  assert.equal(read.statusCode, 200, read.body)
})
