import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cloneDatabase } from '../database.ts'
import { finishKolo, makeDataDir, startKolo, type KoloProcess } from '../process.ts'
import { eventually } from '../world.ts'

const wish = { reference: 'r', sourceCurrency: 'NGN', targetCurrency: 'USD', sourceAmount: 1_500 }

async function balance(kolo: KoloProcess): Promise<number> {
  const { data } = (await (await kolo.call('GET', '/v1/wallets/NGN')).json()) as { data: { balance: number } }
  return data.balance
}

test('killed after the commit and before the answer, the retry gets that answer and nothing happens twice', async () => {
  const { url, drop } = await cloneDatabase()
  const dataDir = makeDataDir()
  const doomed = await startKolo({ dataDir, env: { DATABASE_URL: url, KOLO_FAULT_POINT: 'answer.committed' } })
  await doomed.call('POST', '/v1/sandbox/wallets/NGN/fund', { amount: 10_000 })
  const key = { 'idempotency-key': 'k' }
  await assert.rejects(doomed.call('POST', '/v1/transfers', wish, key))
  await eventually('the process is dead', () => doomed.child.signalCode === 'SIGKILL')

  const kolo = await startKolo({ dataDir, env: { DATABASE_URL: url } })
  const first = await kolo.call('POST', '/v1/transfers', wish, key)
  assert.equal(first.status, 201)
  assert.equal(first.headers.get('idempotent-replayed'), 'true')
  const again = await kolo.call('POST', '/v1/transfers', wish, key)
  assert.equal(await again.text(), await first.text())
  assert.equal(await balance(kolo), 8_500)
  assert.equal(await kolo.end('SIGTERM'), 0)
  await drop()
})

test('SIGTERM under load loses nothing: what was accepted is answered, what was answered is kept, and it exits 0', async () => {
  const { url, drop } = await cloneDatabase()
  const dataDir = makeDataDir()
  // Whatever would outlast the drain is not cut off here in time to pass.
  const env = { DATABASE_URL: url, KOLO_DRAIN_MS: '100000' }
  const kolo = await startKolo({ dataDir, env })
  await kolo.call('POST', '/v1/sandbox/wallets/NGN/fund', { amount: 1_000_000 })
  const answered: string[] = []
  const faults: number[] = []
  const load = Array.from({ length: 8 }, async (_, worker) => {
    for (let number = 0; ; number += 1) {
      const reference = `w${worker}-${number}`
      try {
        const { status } = await kolo.call('POST', '/v1/transfers', { ...wish, reference, sourceAmount: 150 })
        if (status === 201) answered.push(reference)
        else faults.push(status)
      } catch {
        return
      }
    }
  })
  await eventually('some are answered', () => answered.length > 50)
  const startedAt = performance.now()
  assert.equal(await kolo.end('SIGTERM'), 0)
  assert(performance.now() - startedAt < 30_000)
  await Promise.all(load)
  assert.deepEqual(faults, [])
  const after = await startKolo({ dataDir, env })
  assert.equal(await balance(after), 1_000_000 - answered.length * 150)
  await after.end('SIGTERM')
  await drop()
})

test('doctor says what is wrong and what to do about it', async () => {
  const { url, drop } = await cloneDatabase()
  const dataDir = makeDataDir()
  const fine = await finishKolo(['doctor'], { dataDir, env: { DATABASE_URL: url } })
  assert.equal(fine.code, 0, fine.output)
  for (const check of ['configuration', 'database', 'clocks', 'migrations', 'rows set aside']) {
    assert.match(fine.output, new RegExp(`^ok +${check}: `, 'm'))
  }
  const wrong = await finishKolo(['doctor'], { dataDir, env: { DATABASE_URL: url, KOLO_ENV: 'moon' } })
  assert.equal(wrong.code, 1)
  assert.match(wrong.output, /WRONG +configuration: KOLO_ENV is "moon"/)
  const away = new URL(url)
  away.port = '1'
  const unreachable = await finishKolo(['doctor', '--json'], { dataDir, env: { DATABASE_URL: away.href } })
  assert.equal(unreachable.code, 1)
  const report = JSON.parse(unreachable.output) as { isFine: boolean; findings: { check: string; isFine: boolean }[] }
  assert.deepEqual(
    report.findings.map(({ check, isFine }) => [check, isFine]),
    [
      ['configuration', true],
      ['database', false],
    ],
  )
  await drop()
})

test('organizations and keys are made by command, and their keys work', async () => {
  const { url, drop } = await cloneDatabase()
  const dataDir = makeDataDir()
  const env = { DATABASE_URL: url }
  const kolo = await startKolo({ dataDir, env })
  const made = await finishKolo(['org', 'create', '--name', 'Acme', '--json'], { dataDir, env })
  const acme = JSON.parse(made.output) as Record<string, string>
  assert.deepEqual(Object.keys(acme), ['organizationId', 'apiKey', 'email', 'password'])
  const { output } = await finishKolo(
    ['key', 'create', '--org', acme['organizationId']!, '--scopes', 'wallets:read', '--json'],
    { dataDir, env },
  )
  const { apiKey } = JSON.parse(output) as { apiKey: string }
  const ask = async (path: string, key: string) =>
    (await fetch(`${kolo.origin}/api${path}`, { headers: { authorization: `Bearer ${key}` } })).status
  assert.equal(await ask('/v1/wallets', acme['apiKey']!), 200)
  assert.equal(await ask('/v1/wallets', apiKey), 200)
  assert.equal(await ask('/v1/transfers', apiKey), 403)
  assert.equal(await kolo.end('SIGTERM'), 0)
  await drop()
})
