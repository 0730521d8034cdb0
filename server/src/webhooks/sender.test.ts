import assert from 'node:assert/strict'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { makeCertificate } from '../../test/certificates.ts'
import { createHostile } from '../../test/hostile.ts'
import { createReceiver } from '../../test/receiver.ts'
import { createSender, NotSent, type Sender, type SenderOptions } from './sender.ts'

const TIMEOUT_MS = 400

function senderFor(t: TestContext, options: Partial<SenderOptions> = {}): Sender {
  const sender = createSender({
    lookup: async () => ['127.0.0.1'],
    mayReachPrivate: true,
    timeoutMs: TIMEOUT_MS,
    ...options,
  })
  t.after(() => sender.close())
  return sender
}

function post(sender: Sender, url: string, lane = 'endpoint') {
  return sender.send({ lane, url, body: Buffer.from('{"a":1}'), headers: () => ({ 'x-one': '1' }) })
}

const raw = (text: string) => (socket: { write(text: string): void }) => socket.write(text)

test('any 2xx is delivered, everything else is not, and says so', async (t) => {
  const sender = senderFor(t)
  const receiver = await createReceiver(t)
  for (const status of [200, 201, 202, 204, 299]) {
    receiver.answer(status)
    const outcome = await post(sender, receiver.url)
    assert.deepEqual([outcome.isDelivered, outcome.responseStatus, outcome.error], [true, status, null])
  }
  for (const status of [300, 304, 400, 401, 404, 410, 429, 500, 503, 599]) {
    receiver.answer(status)
    const outcome = await post(sender, receiver.url)
    assert.deepEqual([outcome.isDelivered, outcome.responseStatus], [false, status])
    assert.match(outcome.error!, new RegExp(`^Answered ${status}`))
  }
})

test('a redirect is a failure, and nothing is sent to where it leads', async (t) => {
  const sender = senderFor(t)
  const receiver = await createReceiver(t)
  for (const status of [301, 302, 303, 307, 308]) {
    receiver.answer((response) => response.writeHead(status, { location: `${receiver.url}/private` }).end())
    const outcome = await post(sender, `${receiver.url}/start`)
    assert.equal(outcome.isDelivered, false)
    assert.match(outcome.error!, /redirect/)
  }
  assert(receiver.received.every(({ path }) => path === '/start'))
})

test('an answer just before the deadline counts, one just after it does not', async (t) => {
  const sender = senderFor(t)
  const receiver = await createReceiver(t)
  receiver.answer((response) => void setTimeout(() => response.end('late'), TIMEOUT_MS - 150))
  assert.equal((await post(sender, receiver.url)).isDelivered, true)
  receiver.answer((response) => void setTimeout(() => response.end('too late'), TIMEOUT_MS + 150))
  const outcome = await post(sender, receiver.url)
  assert.equal(outcome.isDelivered, false)
  assert.equal(outcome.error, `Timed out after ${TIMEOUT_MS / 1000} s while waiting for headers.`)
  assert(outcome.durationMs >= TIMEOUT_MS - 5 && outcome.durationMs < TIMEOUT_MS + 140, String(outcome.durationMs))
})

test('headers that drip for ever end at the deadline', async (t) => {
  const timers = new Set<NodeJS.Timeout>()
  t.after(() => timers.forEach((timer) => clearInterval(timer)))
  const { url } = await createHostile(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    timers.add(setInterval(() => socket.write('x-a: b\r\n'), 20))
  })
  const outcome = await post(senderFor(t), url)
  assert.deepEqual([outcome.isDelivered, outcome.responseStatus], [false, null])
  assert.match(outcome.error!, /Timed out/)
})

test('a 2xx whose body drips for ever is delivered at the deadline', async (t) => {
  const receiver = await createReceiver(t)
  const timers = new Set<NodeJS.Timeout>()
  t.after(() => timers.forEach((timer) => clearInterval(timer)))
  receiver.answer((response) => {
    response.writeHead(200)
    timers.add(setInterval(() => response.write('.'), 20))
  })
  const outcome = await post(senderFor(t), receiver.url)
  assert.equal(outcome.isDelivered, true)
  assert.match(outcome.responseBody!, /^\.+$/)
  assert(outcome.durationMs < TIMEOUT_MS + 150)
})

test('an endless body is read to its limit, and 4 KiB of it are kept', async (t) => {
  const receiver = await createReceiver(t)
  let written = 0
  receiver.answer((response) => {
    const piece = Buffer.alloc(16 * 1024, 'x')
    const more = () => {
      while (!response.destroyed && (written += piece.length) && response.write(piece));
      response.once('drain', more)
    }
    response.writeHead(200)
    more()
  })
  const outcome = await post(senderFor(t), receiver.url)
  assert.equal(outcome.isDelivered, true)
  assert.equal(outcome.responseBody!.length, 4096)
  assert(written < 64 * 1024 * 1024, `${written} bytes were taken`)
})

test('a compressed answer is read decompressed, and a bomb is not unfolded', async (t) => {
  const sender = senderFor(t, { timeoutMs: 5_000 })
  const receiver = await createReceiver(t)
  for (const [encoding, body] of [
    ['gzip', gzipSync('hello')],
    ['br', brotliCompressSync('hello')],
    ['identity', Buffer.from('hello')],
  ] as const) {
    receiver.answer((response) => response.writeHead(200, { 'content-encoding': encoding }).end(body))
    assert.equal((await post(sender, receiver.url)).responseBody, 'hello')
  }
  const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024), { level: 9 })
  receiver.answer((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))
  const before = process.memoryUsage().rss
  const outcome = await post(sender, receiver.url)
  assert.equal(outcome.isDelivered, true)
  assert.equal(outcome.responseBody, '')
  assert(process.memoryUsage().rss - before < 64 * 1024 * 1024)
  receiver.answer((response) => response.writeHead(500, { 'content-encoding': 'gzip' }).end('not gzip at all'))
  assert.deepEqual((await post(sender, receiver.url)).responseStatus, 500)
})

test('NUL bytes are taken out, invalid UTF-8 is replaced, a character cut in two is left out', async (t) => {
  const sender = senderFor(t)
  const receiver = await createReceiver(t)
  receiver.answer((response) => response.end(Buffer.from([0x61, 0x00, 0xff, 0xc3, 0xa9, 0x00])))
  assert.equal((await post(sender, receiver.url)).responseBody, 'a\ufffd\u00e9')
  receiver.answer((response) => response.end(`x${'é'.repeat(4096)}`))
  const { responseBody } = await post(sender, receiver.url)
  assert.equal(responseBody, `x${'é'.repeat(2047)}`)
})

test('what is not HTTP is named', async (t) => {
  const sender = senderFor(t)
  const cases: readonly (readonly [string, RegExp])[] = [
    ['SSH-2.0-OpenSSH\r\n', /not HTTP/],
    [`HTTP/1.1 200 OK\r\nx-big: ${'x'.repeat(40_000)}\r\n\r\n`, /16 KiB of headers/],
    ['HTTP/1.1 999999 OK\r\n\r\n', /not HTTP/],
  ]
  for (const [answer, words] of cases) {
    const { url } = await createHostile(t, raw(answer))
    const outcome = await post(sender, url)
    assert.deepEqual([outcome.isDelivered, outcome.responseStatus], [false, null], answer.slice(0, 30))
    assert.match(outcome.error!, words)
  }
  const broken = await createHostile(t, raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'))
  assert.equal((await post(sender, broken.url)).responseStatus, 200)
})

test('a connection that is refused, reset or closed is named', async (t) => {
  const sender = senderFor(t)
  const gone = await createReceiver()
  await gone.close()
  assert.match((await post(sender, gone.url)).error!, /was refused/)
  const resetting = await createHostile(t, (socket) => socket.resetAndDestroy())
  assert.match((await post(sender, resetting.url)).error!, /reset|closed/)
  const closing = await createHostile(t, (socket) => socket.end())
  assert.match((await post(sender, closing.url)).error!, /closed/)
})

test('a certificate that does not prove the name is named', async (t) => {
  const year = 365 * 24 * 60 * 60 * 1000
  const [past, future] = [new Date(Date.now() - year), new Date(Date.now() + year)]
  const lookup = async () => ['127.0.0.1']
  for (const [certificate, words] of [
    [makeCertificate('shop.example', { notBefore: past, notAfter: future }), /self-signed/],
    [makeCertificate('shop.example', { notBefore: past, notAfter: past }), /has expired/],
    [makeCertificate('other.example', { notBefore: past, notAfter: future, isTrusted: true }), /another name/],
  ] as const) {
    const server = createSecureServer(certificate, (_request, response) => response.end('ok'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.after(() => server.close())
    const { error } = await post(
      senderFor(t, { lookup }),
      `https://shop.example:${(server.address() as AddressInfo).port}/`,
    )
    assert.match(error!, words)
  }
  const plain = await createReceiver(t)
  const { error } = await post(senderFor(t, { lookup }), plain.url.replace('http:', 'https:'))
  assert.match(error!, /does not speak TLS/)
})

test('a trusted certificate of the right name is accepted, with the name sent in the handshake', async (t) => {
  const year = 365 * 24 * 60 * 60 * 1000
  const dates = { notBefore: new Date(Date.now() - year), notAfter: new Date(Date.now() + year) }
  let servername: string | false | null | undefined
  const certificate = makeCertificate('shop.example', { ...dates, isTrusted: true })
  const server = createSecureServer(certificate, (request, response) => {
    servername = (request.socket as TLSSocket).servername
    response.end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const outcome = await post(senderFor(t), `https://shop.example.:${(server.address() as AddressInfo).port}/`)
  assert.deepEqual([outcome.error, outcome.isDelivered, servername], [null, true, 'shop.example'])
})

test('a name that is not found, does not answer or hangs is named', async (t) => {
  for (const [code, words] of [
    ['ENOTFOUND', /was not found/],
    ['ESERVFAIL', /answered with an error/],
    ['ETIMEOUT', /did not answer/],
  ] as const) {
    const sender = senderFor(t, { lookup: async () => Promise.reject(Object.assign(new Error(code), { code })) })
    assert.match((await post(sender, 'http://shop.example/')).error!, words)
  }
  const hanging = senderFor(t, { lookup: () => new Promise(() => undefined) })
  const { error } = await post(hanging, 'http://shop.example/')
  assert.equal(error, 'Timed out after 0.4 s while looking up the name.')
})

test('a name with any forbidden address is refused whole', async (t) => {
  const receiver = await createReceiver(t)
  for (const addresses of [
    ['93.184.215.14', '127.0.0.1'],
    ['::1'],
    ['::ffff:10.0.0.1'],
    ['64:ff9b::a00:1'],
    ['2002:7f00:1::'],
    ['169.254.169.254'],
  ]) {
    const sender = senderFor(t, { mayReachPrivate: false, lookup: async () => addresses })
    const { error } = await post(sender, receiver.url.replace('127.0.0.1', 'shop.example'))
    assert.match(error!, /private or reserved/, addresses.join())
  }
  assert.equal(receiver.received.length, 0)
})

test('a kept connection is used again, and one the other side closed meanwhile costs no attempt', async (t) => {
  const sender = senderFor(t)
  let sockets = 0
  const { url, requests } = await createHostile(t, (socket) => {
    sockets += Number(!('isKnown' in socket))
    Object.assign(socket, { isKnown: true })
    // The third request finds a connection that ends without a word.
    if (requests() === 3) return socket.destroy()
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
  })
  assert.equal((await post(sender, url)).isDelivered, true)
  assert.equal((await post(sender, url)).isDelivered, true)
  assert.equal(sockets, 1)
  assert.equal((await post(sender, url)).isDelivered, true)
  assert.deepEqual([sockets, requests()], [2, 4])
})

test('a connection is not shared between endpoints', async (t) => {
  const sender = senderFor(t)
  let sockets = 0
  const { url } = await createHostile(t, (socket) => {
    sockets += Number(!('isKnown' in socket))
    Object.assign(socket, { isKnown: true })
    socket.write('HTTP/1.1 204 No Content\r\n\r\n')
  })
  await post(sender, url, 'one')
  await post(sender, url, 'two')
  assert.equal(sockets, 2)
})

test('proxies named by the environment are not asked', async (t) => {
  const receiver = await createReceiver(t)
  const before = { ...process.env }
  t.after(() => Object.assign(process.env, before))
  process.env['HTTP_PROXY'] = process.env['http_proxy'] = 'http://127.0.0.1:1'
  assert.equal((await post(senderFor(t), receiver.url)).isDelivered, true)
  delete process.env['HTTP_PROXY']
  delete process.env['http_proxy']
})

test('a fault of ours while the request is made is no attempt', async (t) => {
  const receiver = await createReceiver(t)
  const sending = senderFor(t).send({
    lane: 'endpoint',
    url: receiver.url,
    body: Buffer.from('{}'),
    headers: () => Promise.reject(new Error('the database is away')),
  })
  await assert.rejects(sending, NotSent)
  assert.equal(receiver.received.length, 0)
})
