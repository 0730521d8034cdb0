import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { memberOf, ownerOf, signIn } from '../../test/members.ts'
import { createWorld, type World } from '../../test/world.ts'

type SignedInBody = {
  data: { token: string; expiresAt: string; member: { id: string; role: string; organizationId: string } }
}

/** Calls a route of sign-in without a credential, from an address of its own. */
function call({ service }: World, path: string, payload?: object, headers = {}, remoteAddress = '192.0.2.1') {
  const url = `/api/v1/auth/${path}`
  return service.app.fastify.inject({ method: 'POST', url, headers, remoteAddress, ...(payload && { payload }) })
}

const codeOf = (response: { json<T>(): T }) => response.json<{ error: { code: string } }>().error.code

test('a member signs in and reads with the token', async (t) => {
  const world = await createWorld(t)
  const response = await call(world, 'login', { email: world.email.toUpperCase(), password: world.password })
  assert.equal(response.statusCode, 200, response.body)
  const { token, expiresAt, member } = response.json<SignedInBody>().data
  assert.equal(member.organizationId, world.organizationId)
  assert.equal(member.role, 'owner')
  const minutes = (Date.parse(expiresAt) - Date.now()) / 60_000
  assert(minutes > 14 && minutes <= 15, `${minutes} minutes`)
  const cookie = String(response.headers['set-cookie'])
  assert.match(cookie, /; HttpOnly; SameSite=Strict$/)
  assert.equal((await world.get('/v1/wallets', { authorization: `Bearer ${token}` })).statusCode, 200)
})

test('a wrong password, an unknown address and an invitation not accepted yet answer the same', async (t) => {
  const world = await createWorld(t)
  const owner = await ownerOf(world)
  const invited = `${randomUUID()}@members.example`
  const wish = { email: invited, role: 'viewer' }
  assert.equal(
    (await world.post(`/v1/organizations/${world.organizationId}/members`, wish, owner.headers)).statusCode,
    201,
  )
  const answers = await Promise.all(
    [world.email, `${randomUUID()}@nobody.example`, invited].map((email) =>
      call(world, 'login', { email, password: 'not the password' }),
    ),
  )
  for (const answer of answers) {
    assert.equal(answer.statusCode, 401)
    assert.equal(codeOf(answer), 'sign_in_failed')
    assert.equal(answer.headers['www-authenticate'], 'Bearer')
  }
})

test('refreshing replaces the cookie, and the token of either works', async (t) => {
  const world = await createWorld(t)
  const { cookie, headers } = await ownerOf(world)
  const response = await call(world, 'refresh', undefined, { cookie })
  assert.equal(response.statusCode, 200, response.body)
  assert.notEqual(String(response.headers['set-cookie']).split(';')[0], cookie)
  const { token } = response.json<SignedInBody>().data
  assert.equal((await world.get('/v1/wallets', { authorization: `Bearer ${token}` })).statusCode, 200)
  assert.equal((await world.get('/v1/wallets', headers)).statusCode, 200)
})

test('a stolen refresh cookie used twice ends the session, tokens included', async (t) => {
  const world = await createWorld(t)
  const { cookie, headers } = await ownerOf(world)
  const first = await call(world, 'refresh', undefined, { cookie })
  const newer = String(first.headers['set-cookie']).split(';')[0]!
  const { token } = first.json<SignedInBody>().data
  assert.equal((await world.get('/v1/wallets', { authorization: `Bearer ${token}` })).statusCode, 200)
  const second = await call(world, 'refresh', undefined, { cookie })
  assert.equal(second.statusCode, 401)
  assert.equal(codeOf(second), 'credential_revoked')
  assert.equal((await call(world, 'refresh', undefined, { cookie: newer })).statusCode, 401)
  assert.equal((await world.get('/v1/wallets', headers)).statusCode, 401)
  assert.equal((await world.get('/v1/wallets', { authorization: `Bearer ${token}` })).statusCode, 401)
})

test('of many refreshes with one cookie at once, at most one succeeds', async (t) => {
  const world = await createWorld(t)
  const { cookie } = await ownerOf(world)
  const answers = await Promise.all(Array.from({ length: 8 }, () => call(world, 'refresh', undefined, { cookie })))
  assert.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 1)
})

test('a refresh cookie that is missing, made up or tampered with is refused', async (t) => {
  const world = await createWorld(t)
  const { cookie } = await ownerOf(world)
  assert.equal(codeOf(await call(world, 'refresh')), 'credential_missing')
  const older = cookie.replace(/\.1\.([\w-]+)$/, '.2.$1')
  for (const made of ['kolo_refresh=x', older, `${cookie.slice(0, -4)}AAAA`]) {
    assert.equal(codeOf(await call(world, 'refresh', undefined, { cookie: made })), 'credential_invalid')
  }
  // None of them counted as a second use.
  assert.equal((await call(world, 'refresh', undefined, { cookie })).statusCode, 200)
})

test('signing out ends the session at once and may be repeated', async (t) => {
  const world = await createWorld(t)
  const [byCookie, byToken] = [await ownerOf(world), await ownerOf(world)]
  assert.equal((await call(world, 'logout', undefined, { cookie: byCookie.cookie })).statusCode, 200)
  assert.equal((await call(world, 'logout', undefined, byToken.headers)).statusCode, 200)
  for (const { headers, cookie } of [byCookie, byToken]) {
    assert.equal((await world.get('/v1/wallets', headers)).statusCode, 401)
    assert.equal((await call(world, 'refresh', undefined, { cookie })).statusCode, 401)
  }
  assert.equal((await call(world, 'logout')).statusCode, 200)
})

test('changing the password ends all other sessions', async (t) => {
  const world = await createWorld(t)
  const [member, elsewhere] = [await ownerOf(world), await ownerOf(world)]
  const change = (body: object) => world.post('/v1/auth/password', body, member.headers)
  assert.equal(codeOf(await change({ current: 'wrong', new: 'a long new password' })), 'password_wrong')
  assert.equal(codeOf(await change({ current: world.password, new: 'too short' })), 'invalid_request')
  const done = await change({ current: world.password, new: 'a long new password' })
  assert.equal(done.statusCode, 200, done.body)
  assert.equal((await world.get('/v1/wallets', elsewhere.headers)).statusCode, 401)
  assert.equal((await call(world, 'refresh', undefined, { cookie: elsewhere.cookie })).statusCode, 401)
  assert.equal((await world.get('/v1/wallets', member.headers)).statusCode, 200)
  assert.equal((await call(world, 'login', { email: world.email, password: world.password })).statusCode, 401)
  await signIn(world, world.email, 'a long new password')
})

test('an API key cannot change a password', async (t) => {
  const world = await createWorld(t)
  const response = await world.post('/v1/auth/password', { current: 'x', new: 'a long new password' })
  assert.equal(codeOf(response), 'member_required')
})

test('ten failures for an address block it exactly, whoever asks and however many at once', async (t) => {
  const world = await createWorld(t)
  const { email } = await memberOf(world, 'viewer')
  const attempts = Array.from({ length: 25 }, (_, index) =>
    call(world, 'login', { email, password: 'wrong' }, {}, `198.51.100.${index}`),
  )
  const answers = await Promise.all(attempts)
  const count = (status: number) => answers.filter(({ statusCode }) => statusCode === status).length
  assert.deepEqual([count(401), count(429)], [10, 15])
  const right = await call(world, 'login', { email, password: 'correct horse battery' }, {}, '198.51.100.99')
  assert.equal(right.statusCode, 429)
  const wait = Number(right.headers['retry-after'])
  assert(wait > 800 && wait <= 900, `${wait} s`)
  // The clock of the service does not move it.
  await world.advance(3_600)
  assert.equal((await call(world, 'login', { email, password: 'wrong' }, {}, '198.51.100.98')).statusCode, 429)
})

test('fifty failures from an address block it, for every e-mail address', async (t) => {
  const world = await createWorld(t)
  const from = '2001:db8:0:1::'
  const attempts = Array.from({ length: 60 }, (_, index) =>
    call(world, 'login', { email: `${randomUUID()}@nobody.example`, password: 'wrong' }, {}, `${from}${index + 1}`),
  )
  const answers = await Promise.all(attempts)
  assert.equal(answers.filter(({ statusCode }) => statusCode === 401).length, 50)
  assert.equal(answers.filter(({ statusCode }) => statusCode === 429).length, 10)
  const login = { email: world.email, password: world.password }
  assert.equal((await call(world, 'login', login, {}, `${from}99`)).statusCode, 429)
  assert.equal((await call(world, 'login', login, {}, '2001:db8:0:2::1')).statusCode, 200)
})

test('many right sign-ins at once all succeed', async (t) => {
  const world = await createWorld(t)
  const { email, password } = await memberOf(world, 'viewer')
  const answers = await Promise.all(
    Array.from({ length: 15 }, () => call(world, 'login', { email, password }, {}, '198.51.100.200')),
  )
  assert.deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [200])
})

test('an unknown address takes as long as a wrong password', async (t) => {
  const world = await createWorld(t)
  const members = [await memberOf(world, 'viewer'), await memberOf(world, 'viewer')]
  const [known, unknown]: [number[], number[]] = [[], []]
  const timed = async (email: string, index: number) => {
    const startedAt = performance.now()
    await call(world, 'login', { email, password: 'wrong' }, {}, `203.0.113.${index}`)
    return performance.now() - startedAt
  }
  for (let index = 0; index < 16; index += 1) {
    known.push(await timed(members[index >> 3]!.email, 2 * index))
    unknown.push(await timed(`${randomUUID()}@nobody.example`, 2 * index + 1))
  }
  const middle = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1]!
  const ratio = middle(unknown) / middle(known)
  assert(ratio > 0.75 && ratio < 1.33, `unknown ${middle(unknown)} ms, known ${middle(known)} ms`)
})
