import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { memberOf, ownerOf, signIn } from '../../test/members.ts'
import { createWorld, type World } from '../../test/world.ts'

type Member = { id: string; email: string; role: string; status: string; name: string }
type Invited = Member & { inviteUrl: string; inviteExpiresAt: string }

const codeOf = (response: { json<T>(): T }) => response.json<{ error: { code: string } }>().error.code
const pathOf = ({ organizationId }: World, id = '') => `/v1/organizations/${organizationId}/members${id && `/${id}`}`
const password = 'a long enough password'

async function invite(world: World, headers: Record<string, string>, role = 'viewer'): Promise<Invited> {
  const wish = { email: `${randomUUID()}@invited.example`, role }
  const response = await world.post(pathOf(world), wish, headers)
  assert.equal(response.statusCode, 201, response.body)
  return response.json<{ data: Invited }>().data
}

function accept(world: World, token: string, name = 'Ada') {
  return world.post('/v1/auth/accept-invite', { token, name, password }, { authorization: '' })
}

const tokenOf = ({ inviteUrl }: Invited) => inviteUrl.split('/').at(-1)!

test('an invited member accepts, is signed in, and can sign in again', async (t) => {
  const world = await createWorld(t)
  const owner = await ownerOf(world)
  const invited = await invite(world, owner.headers, 'developer')
  assert.equal(invited.status, 'invited')
  assert.equal(invited.inviteUrl, `${world.service.deps.publicUrl()}/invite/${tokenOf(invited)}`)
  const response = await accept(world, tokenOf(invited))
  assert.equal(response.statusCode, 200, response.body)
  const { token, member } = response.json<{ data: { token: string; member: Member } }>().data
  assert.deepEqual([member.name, member.role], ['Ada', 'developer'])
  assert.equal((await world.get('/v1/wallets', { authorization: `Bearer ${token}` })).statusCode, 200)
  assert.equal(codeOf(await accept(world, tokenOf(invited))), 'invite_used')
  await signIn(world, invited.email, password)
  const { members } = (await world.get(pathOf(world), owner.headers)).json<{ data: { members: Member[] } }>().data
  assert.deepEqual(
    members.map(({ status }) => status),
    ['active', 'active'],
  )
})

test('an invitation ends after 72 hours of the service clock, and an unknown one is refused', async (t) => {
  const world = await createWorld(t)
  const invited = await invite(world, (await ownerOf(world)).headers)
  await world.advance(72 * 3_600 - 60)
  assert.equal((await world.service.app.fastify.inject(`/invite/${tokenOf(invited)}`)).statusCode, 200)
  await world.advance(120)
  assert.equal(codeOf(await accept(world, tokenOf(invited))), 'invite_expired')
  assert.equal(codeOf(await accept(world, 'nonsense')), 'invite_not_found')
})

test('of many acceptances of one invitation at once, one succeeds', async (t) => {
  const world = await createWorld(t)
  const invited = await invite(world, (await ownerOf(world)).headers)
  const answers = await Promise.all(
    Array.from({ length: 4 }, (_, index) => accept(world, tokenOf(invited), `${index}`)),
  )
  assert.deepEqual(answers.map(({ statusCode }) => String(statusCode)).toSorted(), ['200', '409', '409', '409'])
})

test('the link of an invitation opens a page that sets name and password', async (t) => {
  const world = await createWorld(t)
  const invited = await invite(world, (await ownerOf(world)).headers)
  const { fastify } = world.service.app
  const page = await fastify.inject(`/invite/${tokenOf(invited)}`)
  assert.equal(page.statusCode, 200)
  assert.match(page.body, new RegExp(invited.email))
  assert.match(String(page.headers['content-security-policy']), /^default-src 'none'/)
  const send = (form: Record<string, string>) =>
    fastify.inject({
      method: 'POST',
      url: `/invite/${tokenOf(invited)}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(form).toString(),
    })
  assert.equal((await send({ name: '<b>Ada</b>', password: 'short', again: 'short' })).statusCode, 400)
  assert.equal((await send({ name: 'Ada', password, again: 'another one entirely' })).statusCode, 400)
  const done = await send({ name: '<b>Ada</b>', password, again: password })
  assert.equal(done.statusCode, 200, done.body)
  assert(!done.body.includes('<b>'))
  await signIn(world, invited.email, password)
  assert.equal((await fastify.inject(`/invite/${tokenOf(invited)}`)).statusCode, 410)
})

test('an e-mail address is one member in the whole deployment, without regard to case', async (t) => {
  const [world, other] = [await createWorld(t), await createWorld(t)]
  const [owner, stranger] = [await ownerOf(world), await ownerOf(other)]
  const invited = await invite(world, owner.headers)
  const wish = { email: invited.email.toUpperCase(), role: 'viewer' }
  assert.equal(codeOf(await world.post(pathOf(world), wish, owner.headers)), 'email_taken')
  assert.equal(codeOf(await other.post(pathOf(other), wish, stranger.headers)), 'email_taken')
  assert.equal((await world.delete(pathOf(world, invited.id), owner.headers)).statusCode, 200)
  assert.equal((await other.post(pathOf(other), wish, stranger.headers)).statusCode, 201)
})

test('a changed role counts at once, for the token already given out', async (t) => {
  const world = await createWorld(t)
  const [owner, member] = [await ownerOf(world), await memberOf(world, 'viewer')]
  const fund = () => world.post('/v1/sandbox/wallets/NGN/fund', { amount: 1 }, member.headers)
  assert.equal(codeOf(await fund()), 'role_missing')
  const changed = await world.patch(pathOf(world, member.id), { role: 'developer' }, owner.headers)
  assert.equal(changed.statusCode, 200, changed.body)
  assert.equal((await fund()).statusCode, 202)
  await world.patch(pathOf(world, member.id), { role: 'viewer' }, owner.headers)
  assert.equal(codeOf(await fund()), 'role_missing')
})

test('a removed member is refused at once, token and cookie', async (t) => {
  const world = await createWorld(t)
  const [owner, member] = [await ownerOf(world), await memberOf(world, 'admin')]
  assert.equal((await world.get('/v1/wallets', member.headers)).statusCode, 200)
  assert.equal((await world.delete(pathOf(world, member.id), owner.headers)).statusCode, 200)
  assert.equal((await world.get('/v1/wallets', member.headers)).statusCode, 401)
  const refreshed = await world.post('/v1/auth/refresh', undefined, { cookie: member.cookie })
  assert.equal(refreshed.statusCode, 401)
  assert.equal((await world.delete(pathOf(world, member.id), owner.headers)).statusCode, 404)
})

test('the last owner can be neither removed nor given another role', async (t) => {
  const world = await createWorld(t)
  const owner = await ownerOf(world)
  await invite(world, owner.headers, 'owner')
  assert.equal(codeOf(await world.delete(pathOf(world, owner.id), owner.headers)), 'last_owner')
  assert.equal(codeOf(await world.patch(pathOf(world, owner.id), { role: 'admin' }, owner.headers)), 'last_owner')
  const second = await memberOf(world, 'owner')
  assert.equal((await world.patch(pathOf(world, owner.id), { role: 'admin' }, second.headers)).statusCode, 200)
})

test('two owners who remove each other at once leave one', async (t) => {
  const world = await createWorld(t)
  const [one, two] = [await ownerOf(world), await memberOf(world, 'owner')]
  const answers = await Promise.all([
    world.delete(pathOf(world, two.id), one.headers),
    world.delete(pathOf(world, one.id), two.headers),
  ])
  assert.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 1)
})

test('an admin does everything except changing owners', async (t) => {
  const world = await createWorld(t)
  const [owner, admin] = [await ownerOf(world), await memberOf(world, 'admin')]
  const viewer = await invite(world, admin.headers)
  const refused = await Promise.all([
    world.post(pathOf(world), { email: 'x@y.example', role: 'owner' }, admin.headers),
    world.patch(pathOf(world, viewer.id), { role: 'owner' }, admin.headers),
    world.patch(pathOf(world, owner.id), { role: 'viewer' }, admin.headers),
    world.delete(pathOf(world, owner.id), admin.headers),
  ])
  assert.deepEqual(
    refused.map(codeOf),
    Array.from({ length: 4 }, () => 'role_missing'),
  )
  assert.equal((await world.patch(pathOf(world, viewer.id), { role: 'admin' }, admin.headers)).statusCode, 200)
  assert.equal((await world.delete(pathOf(world, viewer.id), admin.headers)).statusCode, 200)
})

test("another organization's members do not exist", async (t) => {
  const [world, other] = [await createWorld(t), await createWorld(t)]
  const [owner, stranger] = [await ownerOf(world), await ownerOf(other)]
  const role = { role: 'viewer' }
  for (const response of [
    await world.get(pathOf(other), owner.headers),
    await world.patch(pathOf(other, stranger.id), role, owner.headers),
    await world.patch(pathOf(world, stranger.id), role, owner.headers),
    await world.delete(pathOf(world, stranger.id), owner.headers),
  ])
    assert.equal(response.statusCode, 404)
})

test('the invitation in a repeated answer is the same, and kept encrypted', async (t) => {
  const world = await createWorld(t)
  const owner = await ownerOf(world)
  const wish = { email: `${randomUUID()}@invited.example`, role: 'viewer' }
  const headers = { ...owner.headers, 'idempotency-key': randomUUID() }
  const [first, again] = [
    await world.post(pathOf(world), wish, headers),
    await world.post(pathOf(world), wish, headers),
  ]
  assert.equal(again.body, first.body)
  const token = tokenOf(first.json<{ data: Invited }>().data)
  const kept = await world.service.deps.db.many<{ body: string }>(
    { name: 'kept_bodies', text: 'select body from idempotency_keys where organization_id = $1' },
    [world.organizationId],
  )
  assert(kept.length === 1 && !kept[0]!.body.includes(token))
})
