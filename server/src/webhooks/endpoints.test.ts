import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createReceiver, verify } from '../../test/receiver.ts'
import { createService } from '../../test/service.ts'
import { announce, hook, type Endpoint } from '../../test/webhooks.ts'
import { createWorld, eventually } from '../../test/world.ts'
import { sql } from '../db/sql.ts'

type Fault = { error: { code: string; details?: { param: string }[] } }

test('an endpoint has the fields of its record, and a made secret is shown once', async (t) => {
  const { world, endpoint, all, path } = await hook(t, { headers: { 'X-Shop': 'lagos' }, description: 'Orders' })
  assert.match(endpoint.secret!, /^whsec_[A-Za-z0-9_-]{43}$/)
  const read = (await world.get(path)).json<{ data: Endpoint }>().data
  const { secret: _, ...shown } = endpoint
  assert.deepEqual(read, shown)
  assert.deepEqual(Object.keys(read).toSorted(), [
    'consecutiveFailures',
    'createdAt',
    'description',
    'events',
    'hasSigningSecret',
    'headers',
    'id',
    'isActive',
    'lastFailureAt',
    'lastSuccessAt',
    'signaturePrefix',
    'updatedAt',
    'url',
  ])
  assert.deepEqual(read.events, ['*'])
  assert.deepEqual(Object.keys(read.headers), ['X-Shop'])
  assert(!JSON.stringify(read).includes('lagos'))
  const listed = (await world.get(all)).json<{ data: { endpoints: Endpoint[]; pagination: { total: number } } }>().data
  assert.deepEqual([listed.endpoints, listed.pagination.total], [[read], 1])
})

test('a supplied secret signs and is never shown', async (t) => {
  const secret = 'a secret of my own'
  const { world, receiver, endpoint, when } = await hook(t, { secret })
  assert.deepEqual([endpoint.secret, endpoint.hasSigningSecret], [undefined, true])
  await announce(world)
  await when('delivered', ({ status }) => status === 'delivered')
  verify(receiver.received[0]!, secret)
})

test('secrets and custom headers are encrypted at rest', async (t) => {
  const { world, endpoint } = await hook(t, { headers: { 'X-Token': 'tell nobody' } })
  const stored = await world.service.deps.db.one<{ row: string }>(
    sql`select webhook_endpoints::text as row from webhook_endpoints where id = $1`,
    [endpoint.id],
  )
  assert(!stored.row.includes(endpoint.secret!))
  assert(!stored.row.includes('tell nobody'))
})

test('every fault of an endpoint is named', async (t) => {
  const world = await createWorld(t)
  const path = `/organizations/${world.organizationId}/webhooks`
  const wrong = await world.post(path, {
    url: 'https://user:pass@example.com/',
    events: ['payment.succeeded', '*'],
    headers: { Host: 'x', 'content-length': '1', 'X-Webhook-Id': '1', Connection: 'close', 'X-Ok': 'a\r\nb: c' },
  })
  assert.equal(wrong.statusCode, 400)
  const params = wrong.json<Fault>().error.details!.map(({ param }) => param)
  assert.deepEqual(params, [
    'url',
    'events[0]',
    'events[1]',
    'headers.Host',
    'headers.content-length',
    'headers.X-Webhook-Id',
    'headers.Connection',
    'headers.X-Ok',
  ])
  for (const body of [
    {},
    { url: 'ftp://example.com' },
    { url: '/relative' },
    { url: 'https:example.com' },
    { url: `https://example.com/${'x'.repeat(2048)}` },
    { url: 'https://example.com', secret: 'too short' },
    { url: 'https://example.com', secret: 'x'.repeat(257) },
    { url: 'https://example.com', signaturePrefix: 'md5' },
    { url: 'https://example.com', events: [] },
    { url: 'https://example.com', events: ['webhook.test'] },
    { url: 'https://example.com', isActive: 'yes' },
    { url: 'https://example.com', organizationId: world.organizationId },
  ]) {
    assert.equal((await world.post(path, body)).statusCode, 400, JSON.stringify(body))
  }
})

test('PATCH changes the fields given, and never the secret', async (t) => {
  const { world, path } = await hook(t, { headers: { 'X-A': '1' }, description: 'one' })
  const changed = await world.patch(path, { events: ['transfer.failed'], description: null, headers: null })
  assert.equal(changed.statusCode, 200, changed.body)
  const { data } = changed.json<{ data: Endpoint & { description: string | null } }>()
  assert.deepEqual([data.events, data.description, data.headers, data.isActive], [['transfer.failed'], null, {}, true])
  assert.equal((await world.patch(path, { secret: 'x'.repeat(20) })).statusCode, 400)
  assert.equal((await world.patch(path, { url: 'http://user@example.com' })).statusCode, 400)
})

test('rotation takes no body, gives an unsigned endpoint a secret, and is written down', async (t) => {
  const { world, receiver, path, endpoint, when } = await hook(t, { secret: null })
  const rotated = await world.post(`${path}/rotate-secret`)
  assert.equal(rotated.statusCode, 200, rotated.body)
  const { data } = rotated.json<{ data: { id: string; secret: string; rotatedAt: string } }>()
  assert.deepEqual([Object.keys(data), data.id], [['id', 'secret', 'rotatedAt'], endpoint.id])
  await announce(world)
  await when('delivered', ({ status }) => status === 'delivered')
  verify(receiver.received[0]!, data.secret)
  const acts = await world.service.deps.db.many<{ entry: string }>(
    sql`select action || changes as entry from audit_log where organization_id = $1 order by number`,
    [world.organizationId],
  )
  assert(acts.some(({ entry }) => entry.startsWith('webhook.secret_rotated')))
  assert(!acts.some(({ entry }) => entry.includes(data.secret)))
})

test('nothing sent after the answer of a rotation is signed with the old secret', async (t) => {
  const { world, receiver, endpoint, path } = await hook(t)
  const gate = Promise.withResolvers<void>()
  receiver.answer((response) => void gate.promise.then(() => response.writeHead(500).end()))
  await announce(world)
  await eventually('an attempt is under way', () => receiver.received.length === 1)
  let rotatedAfter = Infinity
  let secret = ''
  let announced = 1
  const announcing = (async () => {
    // Until some have been announced after the rotation was answered.
    for (let after = 0; after < 10; announced += 1) {
      await announce(world)
      if (secret) after += 1
    }
  })()
  const rotating = world.post(`${path}/rotate-secret`).then((response) => {
    rotatedAfter = receiver.received.length
    secret = response.json<{ data: { secret: string } }>().data.secret
  })
  gate.resolve()
  receiver.answer(200)
  await Promise.all([announcing, rotating])
  await eventually('all have arrived', () => receiver.received.length === announced)
  assert(rotatedAfter < announced, 'some are sent after the rotation')
  for (const received of receiver.received.slice(rotatedAfter)) verify(received, secret)
  verify(receiver.received[0]!, endpoint.secret!)
})

test('a replayed answer that carries a secret is the same, and is kept encrypted', async (t) => {
  const world = await createWorld(t)
  const path = `/organizations/${world.organizationId}/webhooks`
  const send = () => world.post(path, { url: 'https://example.com/' }, { 'idempotency-key': 'once' })
  const [first, second] = [await send(), await send()]
  assert.deepEqual([first.statusCode, second.statusCode, second.body], [201, 201, first.body])
  assert.equal(second.headers['idempotent-replayed'], 'true')
  const secret = first.json<{ data: { secret: string } }>().data.secret
  const kept = await world.service.deps.db.many<{ body: string }>(
    sql`select body from idempotency_keys where organization_id = $1`,
    [world.organizationId],
  )
  assert(kept.length === 1 && !kept[0]!.body.includes(secret))
})

test("another organization's endpoints do not exist", async (t) => {
  const [mine, other] = [await hook(t), await hook(t)]
  await announce(mine.world)
  const { id } = await mine.when('delivered', ({ status }) => status === 'delivered')
  const own = `/organizations/${other.world.organizationId}/webhooks/${mine.endpoint.id}`
  for (const path of [mine.path, own]) {
    for (const response of [
      await other.world.get(path),
      await other.world.patch(path, { description: 'x' }),
      await other.world.delete(path),
      await other.world.post(`${path}/rotate-secret`),
      await other.world.post(`${path}/test`),
      await other.world.get(`${path}/deliveries`),
      await other.world.get(`${path}/deliveries/${id}`),
      await other.world.post(`${path}/deliveries/${id}/resend`),
      await other.world.post(`${path}/deliveries/resend`, { status: 'failed', since: '2020-01-01' }),
    ]) {
      assert.equal(response.statusCode, 404, response.body)
    }
  }
  assert.equal((await other.world.post(mine.all, { url: 'https://example.com' })).statusCode, 404)
  assert.equal((await other.world.get(mine.all)).statusCode, 404)
  assert.equal((await mine.world.get(`${mine.all}/not-an-id`)).statusCode, 400)
  const elsewhere = `${other.path}/deliveries/${id}`
  assert.equal((await other.world.get(elsewhere)).statusCode, 404)
})

test('an endpoint counts its failures in a row and remembers when it last answered', async (t) => {
  const { world, receiver, path } = await hook(t)
  const read = async () => (await world.get(path)).json<{ data: Endpoint }>().data
  receiver.answer(500)
  await announce(world)
  await announce(world)
  await eventually('two failures', async () => (await read()).consecutiveFailures === 2)
  assert((await read()).lastFailureAt)
  receiver.answer(204)
  await announce(world)
  await eventually('none', async () => (await read()).consecutiveFailures === 0)
  assert((await read()).lastSuccessAt)
})

test('outside local an endpoint that leads to a private address is refused when it is saved', async (t) => {
  const names: Record<string, string[]> = {
    'public.example': ['93.184.215.14'],
    'mixed.example': ['93.184.215.14', '10.0.0.1'],
    'six.example': ['2606:4700::1111', '::1'],
  }
  const service = await createService({
    env: { KOLO_ENV: 'sandbox', KOLO_RATE_LIMIT_WRITES: '0' },
    lookup: async (name) => {
      const addresses = names[name]
      if (!addresses) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
      return addresses
    },
  })
  const world = await createWorld(t, service)
  const path = `/organizations/${world.organizationId}/webhooks`
  const accepted = await world.post(path, { url: 'https://public.example/' })
  assert.equal(accepted.statusCode, 201, accepted.body)
  assert.equal((await world.post(path, { url: 'https://not-yet.example/' })).statusCode, 201)
  const endpoint = `${path}/${accepted.json<{ data: { id: string } }>().data.id}`
  for (const url of [
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0177.0.0.1/',
    'http://0x7f.1/',
    'http://10.1.2.3/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://169.254.169.254/',
    'http://0.0.0.0/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',

    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://224.0.0.1/',
    'http://100.64.0.1/',
    'http://127.0.0.1./',
    'http://mixed.example/',
    'http://mixed.example./',
    'http://six.example/',
    'http://168.63.129.16/',
  ]) {
    const refused = await world.post(path, { url })
    assert.equal(refused.statusCode, 400, url)
    assert.equal(refused.json<Fault>().error.code, 'address_not_allowed', url)
    assert.equal((await world.patch(endpoint, { url })).statusCode, 400, url)
  }
})

test('outside local a private address is not reached, whatever the name said before', async (t) => {
  const receiver = await createReceiver(t)
  let address = '93.184.215.14'
  const service = await createService({
    env: { KOLO_ENV: 'sandbox', KOLO_RATE_LIMIT_WRITES: '0' },
    lookup: async () => [address],
  })
  const url = receiver.url.replace('127.0.0.1', 'rebinding.example')
  const { world, path, when } = await hook(t, { url }, { service, receiver })
  address = '127.0.0.1'
  assert.equal((await world.post(`${path}/test`)).statusCode, 202)
  const failed = await when('failed', ({ status }) => status === 'failed')
  assert.match(failed.attempts[0]!.error!, /private or reserved/)
  assert.equal(receiver.received.length, 0)
})
