import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { checkoutDir } from '../config.ts'
import { createService } from '../../test/service.ts'
import { createWorld, eventually, type World } from '../../test/world.ts'

type Payment = { id: string; status: string; linkToken: string; paymentLink: string }

let number = 0

async function createPayment(world: World, wish: Record<string, unknown> = {}): Promise<Payment> {
  number += 1
  const body = { reference: `order-${number}`, sourceCurrency: 'NGN', sourceAmount: 184_500.5, ...wish }
  const response = await world.post('/v1/payments', body)
  assert.equal(response.statusCode, 201, response.body)
  return response.json<{ data: Payment }>().data
}

async function statusOf(world: World, { id }: Payment): Promise<string> {
  return (await world.get(`/v1/payments/${id}`)).json<{ data: Payment }>().data.status
}

function pageOf(world: World, token: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') {
  return world.service.app.fastify.inject({ method, url: `/pay/${token}`, headers })
}

/** Opens a payment's page as a browser would; answers the cookie it was given. */
async function visit(world: World, { linkToken }: Payment): Promise<string> {
  const page = await pageOf(world, linkToken)
  assert.equal(page.statusCode, 200)
  return String(page.headers['set-cookie']).split(';')[0]!
}

function send(world: World, url: string, form: string, headers: Record<string, string>) {
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  return world.service.app.fastify.inject({ method: 'POST', url, payload: form, headers: { ...type, ...headers } })
}

async function bankMethod(world: World): Promise<string> {
  const methods = (await world.get('/v1/payments/payment-methods?sourceCurrency=NGN')).json<{
    data: { id: string; type: string }[]
  }>().data
  return methods.find(({ type }) => type === 'pay_by_bank')!.id
}

test('the first HTML carries the amount, the payee, the description, the reference and the time left', async (t) => {
  const world = await createWorld(t)
  const payment = await createPayment(world, { description: 'Tea & <b>biscuits</b>' })
  const { body, statusCode, headers } = await pageOf(world, payment.linkToken)
  assert.equal(statusCode, 200)
  assert.match(String(headers['content-type']), /^text\/html/)
  assert.match(body, /<title>Pay NGN 184,500\.50 to World<\/title>/)
  assert.match(body, /<data value="184500\.50"/)
  assert.match(body, /Tea &amp; &lt;b&gt;biscuits&lt;\/b&gt;/)
  assert.match(body, /order-\d+/)
  assert.match(body, /data-countdown[^>]*>(3 days|2 days 23 hours)</)
  assert.equal(await statusOf(world, payment), 'pending')
})

test('where the currencies differ the first HTML carries both amounts and the rate', async (t) => {
  const world = await createWorld(t)
  const payment = await createPayment(world, { sourceCurrency: 'GHS', targetCurrency: 'NGN', sourceAmount: 1250.5 })
  const record = (await world.get(`/v1/payments/${payment.id}`)).json<{
    data: { targetAmount: number; exchangeRate: number }
  }>().data
  const { body } = await pageOf(world, payment.linkToken)
  const [whole, fraction = ''] = String(record.targetAmount).split('.')
  const grouped = `${whole!.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction.padEnd(2, '0')}`
  assert.ok(body.includes('GHS 1,250.50'))
  assert.ok(body.includes(`NGN\u00a0${grouped}`))
  assert.ok(body.includes(`1 GHS = ${record.exchangeRate} NGN`))
})

test('a HEAD or a fetch ahead of time opens nothing and sets no cookie', async (t) => {
  const world = await createWorld(t)
  const payment = await createPayment(world)
  for (const [method, headers] of [
    ['HEAD', {}],
    ['GET', { 'sec-purpose': 'prefetch' }],
    ['GET', { 'sec-purpose': 'prefetch;prerender' }],
    ['GET', { purpose: 'prefetch' }],
  ] as const) {
    const answer = await pageOf(world, payment.linkToken, headers, method)
    assert.equal(answer.statusCode, 200)
    assert.equal(answer.headers['set-cookie'], undefined)
    assert.equal(await statusOf(world, payment), 'created')
  }
})

test('an unknown link is 404, in words', async (t) => {
  const world = await createWorld(t)
  for (const url of ['x', 'A'.repeat(32), 'A'.repeat(32) + '/nothing']) {
    const answer = await pageOf(world, url)
    assert.equal(answer.statusCode, 404)
    assert.match(answer.body, /There is no such payment link/)
  }
})

test('whatever stands in the place of a link, it is 404 in words and reaches no header', async (t) => {
  const world = await createWorld(t)
  for (const odd of ['a%0d%0ab', '%00', '..%2f..%2fetc', '%2f%2fevil.example', '%C3%A9', '__proto__']) {
    assert.equal((await pageOf(world, odd)).statusCode, 404, odd)
    const back = await pageOf(world, `${odd}/return`)
    assert.equal(back.statusCode, 303, odd)
    assert.match(String(back.headers.location), /^\/pay\/[\w.%-]+$/)
  }
})

test('a replaced link opens no new visit, and the browser that opened it in time goes on', async (t) => {
  const world = await createWorld(t)
  const payment = await createPayment(world)
  const cookie = await visit(world, payment)
  const fresh = (await world.post(`/v1/payments/${payment.id}/refresh-link`)).json<{ data: Payment }>().data
  const stranger = await pageOf(world, payment.linkToken)
  assert.equal(stranger.statusCode, 410)
  assert.match(stranger.body, /too old/)
  assert.equal(stranger.headers['set-cookie'], undefined)
  assert.equal((await pageOf(world, payment.linkToken, { cookie })).statusCode, 200)
  assert.equal((await pageOf(world, fresh.linkToken)).statusCode, 200)
})

test('a link too old opens no new visit, and the browser that opened it in time goes on', async (t) => {
  const world = await createWorld(t)
  const payment = await createPayment(world, { linkExpiresIn: 300 })
  const cookie = await visit(world, payment)
  await world.advance(301)
  assert.equal((await pageOf(world, payment.linkToken)).statusCode, 410)
  assert.equal((await pageOf(world, payment.linkToken, { cookie })).statusCode, 200)
})

test('a cancelled or expired payment is 410, a paid one 200', async (t) => {
  const world = await createWorld(t)
  const [cancelled, expired, paid] = [
    await createPayment(world),
    await createPayment(world, { expiresIn: 300 }),
    await createPayment(world),
  ]
  await world.post(`/v1/payments/${cancelled.id}/cancel`)
  await world.post(`/v1/sandbox/payments/${paid.id}/execute`)
  await eventually('the payment is executed', async () => (await statusOf(world, paid)) === 'executed')
  await world.advance(301)
  const answers = [cancelled, expired, paid].map(({ linkToken }) => pageOf(world, linkToken))
  const [first, second, third] = await Promise.all(answers)
  assert.equal(first!.statusCode, 410)
  assert.match(first!.body, /This payment was cancelled/)
  assert.equal(second!.statusCode, 410)
  assert.match(second!.body, /This payment has expired/)
  assert.equal(third!.statusCode, 200)
  assert.match(third!.body, /Paid\. Thank you\./)
})

test('the cookie of a visit is out of reach of scripts and other pages', async (t) => {
  const world = await createWorld(t)
  const payment = await createPayment(world)
  const cookie = String((await pageOf(world, payment.linkToken)).headers['set-cookie'])
  assert.match(cookie, /^kolo_visit=[A-Za-z0-9_.-]+; /)
  assert.ok(cookie.includes(`; Path=/pay/${payment.linkToken};`))
  assert.match(cookie, /; HttpOnly/)
  assert.match(cookie, /; SameSite=Lax/)
})

test('a form needs the visit cookie and must come from our own page', async (t) => {
  const world = await createWorld(t)
  const payment = await createPayment(world)
  const cookie = await visit(world, payment)
  const other = await visit(world, await createPayment(world))
  const url = `/pay/${payment.linkToken}/attempts`
  const form = `methodId=${await bankMethod(world)}`
  const ours = { 'sec-fetch-site': 'same-origin' }
  for (const headers of [
    ours,
    { ...ours, cookie: other },
    { cookie },
    { cookie, 'sec-fetch-site': 'cross-site' },
    { cookie, 'sec-fetch-site': 'same-site' },
    { cookie, origin: 'https://evil.example' },
    { cookie, origin: 'null' },
  ]) {
    assert.equal((await send(world, url, form, headers as Record<string, string>)).statusCode, 403)
  }
  assert.equal(await statusOf(world, payment), 'pending')
  const origin = world.service.origin
  assert.equal((await send(world, url, form, { cookie, origin })).statusCode, 303)
  assert.equal(await statusOf(world, payment), 'authorising')
})

test('a phone number that is none is told beside its field, and kept', async (t) => {
  const world = await createWorld(t)
  const payment = await createPayment(world, { sourceCurrency: 'GHS', sourceAmount: 20 })
  const cookie = await visit(world, payment)
  const methods = (await world.get('/v1/payments/payment-methods?sourceCurrency=GHS')).json<{
    data: { id: string; type: string }[]
  }>().data
  const { id } = methods.find(({ type }) => type === 'mobile_money')!
  const headers = { cookie, 'sec-fetch-site': 'same-origin' }
  const answer = await send(
    world,
    `/pay/${payment.linkToken}/attempts`,
    `methodId=${id}&phone=12&operator=MTN`,
    headers,
  )
  assert.equal(answer.statusCode, 422)
  assert.match(answer.body, /value="12"/)
  assert.match(answer.body, /aria-invalid="true"/)
  assert.equal(await statusOf(world, payment), 'pending')
})

test('the page allows nothing inline and nothing from elsewhere', async (t) => {
  const world = await createWorld(t)
  const { headers, body } = await pageOf(world, (await createPayment(world)).linkToken)
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /default-src 'none'/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.doesNotMatch(policy, /unsafe|https?:|\*/)
  assert.doesNotMatch(body, /<style|style="|<script(?![^>]* src=)|\son[a-z]+="/)
  assert.doesNotMatch(body, /(?:src|href)="(?:https?:)?\/\//)
  assert.equal(headers['cache-control'], 'no-store')
})

test('everything the page loads is small, kept for ever, and ours', async (t) => {
  const world = await createWorld(t)
  const { body } = await pageOf(world, (await createPayment(world)).linkToken)
  const folder = /\/pay\/assets\/[0-9a-f]{16}\//.exec(body)![0]
  const files = globSync('*.{ts,css,svg}', { cwd: join(checkoutDir, 'web/checkout') })
  let bytes = 0
  for (const file of files) {
    const url = folder + basename(file).replace(/\.ts$/, '.js')
    const answer = await world.service.app.fastify.inject({ url, headers: { 'accept-encoding': 'gzip, br' } })
    assert.equal(answer.statusCode, 200, url)
    assert.equal(answer.headers['content-encoding'], 'br')
    assert.match(String(answer.headers['cache-control']), /immutable/)
    bytes += answer.rawPayload.length
  }
  assert.ok(files.length >= 6)
  assert.ok(bytes <= 60 * 1024, `${bytes} bytes`)
  const gone = await world.service.app.fastify.inject({
    url: folder.replace(/[0-9a-f]{16}/, '0'.repeat(16)) + 'page.js',
  })
  assert.equal(gone.statusCode, 404)
})

test('asking again costs nothing while nothing has changed', async (t) => {
  const world = await createWorld(t)
  const payment = await createPayment(world)
  const cookie = await visit(world, payment)
  const url = `/pay/${payment.linkToken}/view`
  const ask = (headers: Record<string, string>) => world.service.app.fastify.inject({ url, headers })
  assert.equal((await ask({})).statusCode, 403)
  const first = await ask({ cookie })
  assert.equal(first.statusCode, 200)
  assert.equal((await ask({ cookie, 'if-none-match': String(first.headers['etag']) })).statusCode, 304)
})

test('the live stream tells of the payment, and ends when the service drains', async (t) => {
  const service = await createService()
  const world = await createWorld(t, service)
  const payment = await createPayment(world)
  const cookie = await visit(world, payment)
  const response = await fetch(`${service.origin}/pay/${payment.linkToken}/live`, { headers: { cookie } })
  assert.equal(response.headers.get('content-type'), 'text/event-stream')
  const chunks: string[] = []
  const reading = (async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) chunks.push(chunk)
  })()
  await eventually('the first news', () => chunks.join('').includes('How would you like to pay?'))
  const cookieOnly = { cookie, 'sec-fetch-site': 'same-origin' }
  await send(world, `/pay/${payment.linkToken}/attempts`, `methodId=${await bankMethod(world)}`, cookieOnly)
  await eventually('news of the attempt', () => chunks.join('').includes('Approve at your bank'))
  service.app.enter('draining')
  // Closing waits for what is under way: with a stream left open it would not end.
  await service.app.fastify.close()
  await reading
})
