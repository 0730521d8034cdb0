import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { refused } from '../../test/refusals.ts'
import { createService } from '../../test/service.ts'
import { createWorld, eventually, sharedService, type World } from '../../test/world.ts'
import { addApiKey } from '../api-keys/operations.ts'

const transfer = { reference: 'r', sourceCurrency: 'NGN', targetCurrency: 'USD', sourceAmount: 1_500 }
const noId = '01900000-0000-7000-8000-000000000000'

test('faults are found in the order of the contract', async (t) => {
  const world = await createWorld(t)
  const limited = await keyWith(world, ['events:read'])
  const broken = { 'content-type': 'application/json', authorization: 'Bearer nonsense' }
  refused(await send(world, 'POST', '/v1/nothing', '{', broken), 404, 'route_not_found')
  refused(await send(world, 'PUT', '/v1/transfers', '{', broken), 405, 'method_not_allowed')
  refused(await send(world, 'POST', '/v1/transfers', '{', broken), 401, 'credential_invalid')
  const xml = { 'content-type': 'text/xml' }
  refused(await send(world, 'POST', '/v1/transfers', '<a/>', { ...xml, ...limited }), 403, 'scope_missing')
  refused(await world.post('/v1/transfers', '<a/>', xml), 415, 'media_type_unsupported')
  const key = { 'idempotency-key': 'order' }
  assert.equal((await world.post('/v1/transfers', transfer, key)).statusCode, 422)
  refused(await world.post('/v1/transfers', { ...transfer, reference: '' }, key), 400, 'invalid_request')
  refused(await world.post('/v1/transfers', { ...transfer, reference: 's' }, key), 422, 'idempotency_key_reused')
})

async function keyWith({ service: { deps }, organizationId }: World, scopes: readonly string[]) {
  const wish = { name: 'limited', scopes, expiresAt: null, actor: { type: 'operator' } as const }
  const { key } = await deps.db.transaction((tx) => addApiKey(deps, tx, organizationId, wish))
  return { authorization: `Bearer ${key}` }
}

function send(world: World, method: 'GET' | 'POST' | 'PUT', path: string, payload: string, headers: object) {
  return world.service.app.fastify.inject({ method, url: `/api${path}`, payload, headers: { ...headers } })
}

test('an unknown route is a 404 whatever is sent to it, and needs no credential', async (t) => {
  const world = await createWorld(t)
  for (const type of ['application/json', 'text/xml', 'application/x-www-form-urlencoded']) {
    refused(await send(world, 'POST', '/v1/unknown', '{"a"', { 'content-type': type }), 404, 'route_not_found')
  }
  refused(await world.get('/v2/wallets'), 404, 'route_not_found')
  const outside = await world.service.app.fastify.inject({ method: 'POST', url: '/elsewhere', payload: 'x' })
  refused(outside, 404, 'route_not_found')
})

test('a known path answers a method it does not take with those it takes', async (t) => {
  const world = await createWorld(t)
  const answer = await world.delete('/v1/transfers')
  refused(answer, 405, 'method_not_allowed')
  assert.equal(answer.headers['allow'], 'GET, HEAD, POST')
  assert.equal((await world.put(`/v1/transfers/${noId}`, {})).headers['allow'], 'GET, HEAD')
})

test('so does every other path of the server, whatever is sent to it', async (t) => {
  const { service } = await createWorld(t)
  for (const [method, url, allow] of [
    ['POST', '/health/live', 'GET, HEAD'],
    ['DELETE', '/health/ready', 'GET, HEAD'],
    ['PUT', '/metrics', 'GET, HEAD'],
    ['POST', '/api/openapi.json', 'GET, HEAD'],
    ['POST', '/docs', 'GET, HEAD'],
    ['GET', '/rails/sandbox/notices', 'POST'],
    ['POST', '/pay/some-token', 'GET, HEAD'],
    ['GET', '/pay/some-token/attempts', 'POST'],
    ['POST', '/api/v1/payments/payment-methods', 'GET, HEAD'],
  ] as const) {
    const answer = await service.app.fastify.inject({ method, url, payload: '{' })
    refused(answer, 405, 'method_not_allowed')
    assert.equal(answer.headers['allow'], allow, url)
  }
})

test('a body over one mebibyte is a 413, one that is not JSON a 415', async (t) => {
  const world = await createWorld(t)
  const large = JSON.stringify({ ...transfer, description: 'x'.repeat(1024 * 1024) })
  refused(await world.post('/v1/transfers', large), 413, 'body_too_large')
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    const answer = await world.post('/v1/transfers', 'a=1', { 'content-type': type })
    refused(answer, 415, 'media_type_unsupported')
  }
  assert.equal(
    (await world.post('/v1/transfers', transfer, { 'content-type': 'application/json; charset=utf-8' })).statusCode,
    422,
  )
})

test('a body that is too large is let in and dropped, so that its sender gets to read the 413', async (t) => {
  const { service, apiKey } = await createWorld(t)
  const { hostname, port } = new URL(service.origin)
  const pieces = 24
  const piece = Buffer.alloc(1024 * 1024, ' ')
  const socket = connect(Number(port), hostname)
  t.after(() => socket.destroy())
  let answer = ''
  socket.on('data', (text: Buffer) => (answer += text.toString()))
  socket.write(
    `POST /api/v1/transfers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${pieces * piece.length}\r\n\r\n`,
  )
  await eventually('the answer comes before the body', () => answer.includes('body_too_large'))
  for (let sent = 0; sent < pieces; sent += 1)
    await new Promise<void>((resolve, reject) => socket.write(piece, (error) => (error ? reject(error) : resolve())))
  assert.match(answer, /^HTTP\/1.1 413 /)
  // The connection is as good as new.
  answer = ''
  socket.write(`GET /api/v1/wallets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`)
  await eventually('the next answer', () => answer.startsWith('HTTP/1.1 200 '))
})

test('a POST without a body needs no content type, and is told what it lacks', async (t) => {
  const world = await createWorld(t)
  const error = refused(await world.post('/v1/transfers'), 400, 'invalid_request')
  assert(error.details!.some(({ param, message }) => param === 'reference' && message === 'is required'))
})

test('a malformed id is a 400, an unknown one a 404', async (t) => {
  const world = await createWorld(t)
  assert.equal(refused(await world.get('/v1/transfers/7'), 400, 'invalid_request').param, 'id')
  assert.equal(refused(await world.get(`/v1/transfers/${noId}`), 404, 'not_found').type, 'not_found')
})

test("a caller's request id is kept when it is well-formed, and replaced otherwise", async (t) => {
  const world = await createWorld(t)
  const own = await world.get('/v1/wallets', { 'x-request-id': 'shop-1:a.b_C' })
  assert.equal(own.headers['x-request-id'], 'shop-1:a.b_C')
  for (const bad of ['a b', 'x'.repeat(129), '<script>', 'é']) {
    const answer = await world.get('/v1/nothing', { 'x-request-id': bad })
    assert.match(String(answer.headers['x-request-id']), /^[0-9a-f-]{36}$/)
    refused(answer, 404, 'route_not_found')
  }
})

test('every answer carries the security headers', async (t) => {
  const world = await createWorld(t)
  const answers = [
    await world.get('/v1/wallets'),
    await world.get('/v1/nothing'),
    await world.get('/v1/transfers/%zz'),
    await world.delete('/v1/transfers'),
    await world.service.app.fastify.inject('/health/live'),
  ]
  for (const { headers } of answers) {
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['x-frame-options'], 'DENY')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers['cache-control'], 'no-store')
    assert.match(String(headers['content-security-policy']), /default-src 'none'/)
    assert.match(String(headers['strict-transport-security']), /max-age=/)
    assert(headers['x-request-id'])
  }
})

test('bytes that are no HTTP request get the error body too', async () => {
  const { origin } = await sharedService()
  for (const bytes of ['GARBAGE\r\n\r\n', 'GET /api/v1/wallets HTTP/1.1\r\nHost: x\r\nA: b\rc: d\r\n\r\n']) {
    const answer = await raw(origin, bytes)
    assert.match(answer, /^HTTP\/1\.1 400 /)
    assert.match(answer, /"code":"invalid_request"/)
    assert.match(answer, /x-request-id: /)
  }
})

test('a line break in a header or a value reaches no header of an answer', async (t) => {
  const world = await createWorld(t)
  const answer = await world.post('/v1/transfers', { ...transfer, reference: 'a\r\nSet-Cookie: b' })
  refused(answer, 400, 'invalid_request')
  const bytes = `GET /api/v1/wallets HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Request-Id: a%0d%0aSet-Cookie: b=1\r\n\r\n`
  assert.doesNotMatch(await raw(world.service.origin, bytes), /^set-cookie/im)
})

function raw(origin: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    let text = ''
    socket.on('data', (chunk) => (text += chunk.toString()))
    socket.on('end', () => resolve(text))
    socket.on('error', reject)
  })
}

test('pages of other origins may not call the API unless their origin is listed', async (t) => {
  const world = await createWorld(t)
  const closed = await world.get('/v1/wallets', { origin: 'https://shop.example.com' })
  assert.equal(closed.headers['access-control-allow-origin'], undefined)
  const preflight = { origin: 'https://shop.example.com', 'access-control-request-method': 'PATCH' }
  const options = (service: World['service'], headers: Record<string, string>) =>
    service.app.fastify.inject({ method: 'OPTIONS', url: '/api/v1/transfers', headers })
  refused(await options(world.service, preflight), 405, 'method_not_allowed')

  const open = await createService({ env: { KOLO_CORS_ORIGINS: 'https://shop.example.com' }, roles: ['api'] })
  const allowed = await options(open, preflight)
  assert.equal(allowed.statusCode, 204)
  assert.equal(allowed.headers['access-control-allow-origin'], 'https://shop.example.com')
  assert.match(String(allowed.headers['access-control-allow-methods']), /PATCH/)
  const other = await options(open, { ...preflight, origin: 'https://evil.example' })
  assert.notEqual(other.headers['access-control-allow-origin'], 'https://evil.example')
  const inside = await createWorld(t, open)
  const read = await inside.get('/v1/wallets', { origin: 'https://shop.example.com' })
  assert.equal(read.headers['access-control-allow-origin'], 'https://shop.example.com')
  assert.match(String(read.headers['access-control-expose-headers']), /X-Request-Id/)
})

test('a path of any length is answered by its route', async (t) => {
  const world = await createWorld(t)
  const long = 'a'.repeat(5_000)
  refused(await world.get(`/v1/payments/${long}`), 400, 'invalid_request')
  refused(await world.get(`/v1/wallets/${long}`), 404, 'not_found')
  refused(await world.get(`/v1/payments/${long}`, { authorization: '' }), 401, 'credential_missing')
  refused(await world.get(`/v1/${long}`), 404, 'route_not_found')
  assert.equal((await world.service.app.fastify.inject(`/pay/${long}`)).statusCode, 404)
})
