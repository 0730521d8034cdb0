import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { createService, type TestService } from '../../test/service.ts'
import { createWorld, eventually, type World } from '../../test/world.ts'

type Rate = { source: string; target: string; rate: number; asOf: string }
type Quote = {
  id: string
  kind: string
  sourceAmount: number
  targetAmount: number
  exchangeRate: number
  feeAmount: number
  expiresAt: string
}

async function ratesOf(world: World, query = ''): Promise<Rate[]> {
  return (await world.get(`/v1/rates${query}`)).json<{ data: Rate[] }>().data
}

function codeOf(response: { json<T>(): T }): string {
  return response.json<{ error: { code: string } }>().error.code
}

test('the built-in table gives every pair, less the spread, at ten digits', async (t) => {
  const world = await createWorld(t)
  assert.equal((await ratesOf(world)).length, 13 * 12)
  const [only, ...more] = await ratesOf(world, '?source=USD&target=NGN')
  assert.deepEqual([only?.source, only?.target, only?.rate, more.length], ['USD', 'NGN', 1485, 0])
  assert.match(only!.asOf, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.equal((await ratesOf(world, '?source=NGN')).length, 12)
  assert.equal((await world.get('/v1/rates?source=usd')).statusCode, 400)
  assert.equal((await world.get('/v1/rates?from=USD')).statusCode, 400)
})

test('a quote answers both amounts, the rate and the fee, for 60 seconds', async (t) => {
  const world = await createWorld(t)
  const quote = async (body: object) => {
    const response = await world.post('/v1/quotes', body)
    assert.equal(response.statusCode, 201, response.body)
    return response.json<{ data: Quote }>().data
  }
  const transfer = await quote({ kind: 'transfer', sourceCurrency: 'USD', targetCurrency: 'NGN', sourceAmount: 10 })
  assert.deepEqual(
    [transfer.sourceAmount, transfer.targetAmount, transfer.exchangeRate, transfer.feeAmount],
    [10, 14_850, 1485, 0],
  )
  const left = Date.parse(transfer.expiresAt) - world.service.deps.now().getTime()
  assert.ok(left > 50_000 && left <= 60_000, String(left))
  const payment = await quote({ kind: 'payment', sourceCurrency: 'NGN', targetAmount: 1000 })
  assert.deepEqual(
    [payment.sourceAmount, payment.targetAmount, payment.exchangeRate, payment.feeAmount],
    [1000, 1000, 1, 15],
  )
  const payout = await quote({ kind: 'payout', sourceCurrency: 'NGN', sourceAmount: 100_000 })
  assert.equal(payout.feeAmount, 50)
})

test('a quote is refused with every fault named, and leaves no row behind', async (t) => {
  const world = await createWorld(t)
  const cases: [body: object, status: number, code: string][] = [
    [{ kind: 'transfer', sourceCurrency: 'USD', targetCurrency: 'NGN' }, 400, 'invalid_request'],
    [{ kind: 'transfer', sourceCurrency: 'USD', sourceAmount: 1, targetAmount: 1 }, 400, 'invalid_request'],
    [{ kind: 'gift', sourceCurrency: 'USD', sourceAmount: 1 }, 400, 'invalid_request'],
    [{ kind: 'transfer', sourceCurrency: 'JPY', sourceAmount: 1 }, 400, 'invalid_request'],
    [{ kind: 'transfer', sourceCurrency: 'UGX', sourceAmount: 1.5 }, 400, 'invalid_request'],
    [{ kind: 'transfer', sourceCurrency: 'USD', sourceAmount: '1' }, 400, 'invalid_request'],
    [{ kind: 'transfer', sourceCurrency: 'USD', sourceAmount: 1, note: 'x' }, 400, 'invalid_request'],
    [{ kind: 'transfer', sourceCurrency: 'NGN', targetCurrency: 'USD', sourceAmount: 0.01 }, 422, 'amount_too_small'],
    [
      { kind: 'transfer', sourceCurrency: 'USD', targetCurrency: 'NGN', sourceAmount: 90_071_992_547 },
      422,
      'amount_out_of_range',
    ],
  ]
  for (const [body, status, code] of cases) {
    const response = await world.post('/v1/quotes', body)
    assert.deepEqual([response.statusCode, codeOf(response)], [status, code], JSON.stringify(body))
  }
  const both = await world.post('/v1/quotes', { kind: 'gift', sourceCurrency: 'JPY', sourceAmount: -1 })
  const { details } = both.json<{ error: { details: { param: string }[] } }>().error
  assert.deepEqual(details.map(({ param }) => param).toSorted(), ['kind', 'sourceAmount', 'sourceCurrency'])
})

type Source = { url: string; say(status: number, body: unknown): void; asked(): number }

/** A real source of rates on a port of its own. */
async function startSource(t: TestContext): Promise<Source> {
  let [status, body, asked] = [500, 'not yet', 0]
  const server: Server = createServer((_request, response) => {
    asked += 1
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => new Promise((resolve) => server.close(resolve)))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/rates?key=secret`,
    say(nextStatus, nextBody) {
      status = nextStatus
      body = typeof nextBody === 'string' ? nextBody : JSON.stringify(nextBody)
    },
    asked: () => asked,
  }
}

function reading(env: Record<string, string>): Promise<TestService> {
  return createService({
    env: { KOLO_RATES_REFRESH_SECONDS: '1', KOLO_RATES_SPREAD_BASIS_POINTS: '0', KOLO_LOG_LEVEL: 'silent', ...env },
  })
}

const metric = async (service: TestService, name: string) =>
  Number(new RegExp(`^${name} (.*)$`, 'm').exec((await service.app.fastify.inject({ url: '/metrics' })).body)?.[1])

test('an HTTP source is read in the background; broken, it stops nothing and shows in the metrics', async (t) => {
  const source = await startSource(t)
  const service = await reading({ KOLO_RATES_URL: source.url })
  const world = await createWorld(t, service)
  const wish = { kind: 'transfer', sourceCurrency: 'USD', targetCurrency: 'NGN', sourceAmount: 1 }
  await eventually('the failure is counted', async () => (await metric(service, 'kolo_rates_failures_total')) > 0)
  assert.deepEqual(await ratesOf(world), [])
  const refused = await world.post('/v1/quotes', wish)
  assert.deepEqual([refused.statusCode, codeOf(refused)], [422, 'rate_unavailable'])
  // Nothing that needs no rate is touched by it.
  await world.fund('NGN', 10)

  const asOf = new Date().toISOString()
  source.say(200, `{ "base": "USD", "asOf": "${asOf}", "rates": { "NGN": 1512.3456789012, "KES": 129.5, "JPY": 150 } }`)
  await eventually('the rates are there', async () => (await ratesOf(world)).length > 0)
  const [rate] = await ratesOf(world, '?source=USD&target=NGN')
  assert.deepEqual(rate, { source: 'USD', target: 'NGN', rate: 1512.345679, asOf })
  assert.equal((await world.post('/v1/quotes', wish)).statusCode, 201)
  assert.ok((await metric(service, 'kolo_rates_age_seconds')) >= 0)

  for (const [status, body] of [
    [500, 'x'],
    [200, '{'],
    [200, { base: 'USD', asOf, rates: { NGN: 0 } }],
    [200, { base: 'XXX', asOf, rates: {} }],
    [200, { base: 'USD', asOf: 'now', rates: {} }],
    [200, { base: 'USD', asOf: new Date(Date.parse(asOf) + 3_600_000).toISOString(), rates: { NGN: 1 } }],
  ] as const) {
    source.say(status, body)
    const before = await metric(service, 'kolo_rates_failures_total')
    await eventually('it is refused', async () => (await metric(service, 'kolo_rates_failures_total')) > before)
    assert.equal((await ratesOf(world, '?source=USD&target=NGN'))[0]?.rate, 1512.345679)
  }
  // Past the age limit no rate is better than an old one.
  await world.advance(3_601)
  assert.deepEqual(await ratesOf(world), [])
  const stale = await world.post('/v1/quotes', wish)
  assert.deepEqual([stale.statusCode, codeOf(stale)], [422, 'rate_unavailable'])
})

test('a file is read again when it changes, as a whole, and what it no longer names is gone', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'kolo-rates-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'rates.json')
  const write = (asOf: Date, rates: object) =>
    writeFileSync(path, JSON.stringify({ base: 'NGN', asOf: asOf.toISOString(), rates }))
  write(new Date(), { USD: 0.00066, KES: 0.086 })
  const service = await reading({ KOLO_RATES_FILE: path })
  const world = await createWorld(t, service)
  await eventually('the rates are there', async () => (await ratesOf(world)).length === 6)
  write(new Date(Date.now() - 1000), { USD: 0.5 })
  write(new Date(Date.now() + 1000), { GHS: 0.0075, USD: 0.0007 })
  await eventually('the new ones are there', async () => (await ratesOf(world, '?source=NGN&target=GHS')).length === 1)
  assert.deepEqual(
    (await ratesOf(world, '?source=NGN')).map(({ target, rate }) => [target, rate]),
    [
      ['GHS', 0.0075],
      ['USD', 0.0007],
    ],
  )
  const response = await world.post('/v1/quotes', {
    kind: 'transfer',
    sourceCurrency: 'NGN',
    targetCurrency: 'USD',
    sourceAmount: 100,
  })
  assert.equal(response.json<{ data: Quote }>().data.targetAmount, 0.07)
})
