import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { cloneDatabase } from '../database.ts'
import { checkoutDir } from '../../src/config.ts'
import { finishKolo, killPostgres, makeDataDir, postgresPid, runKolo, startKolo } from '../process.ts'
import { eventually } from '../world.ts'

const isRoot = process.getuid?.() === 0
const NOBODY = 65_534
const servers: Server[] = []
after(() => {
  for (const server of servers) server.close()
})

/** Why no other user can be tried here, if that is so. */
function ordinaryUserMissing(): string | false {
  if (!isRoot) return 'the other tests of this file run as one'
  const folders = checkoutDir.split('/').map((_, depth, all) => all.slice(0, depth + 1).join('/') || '/')
  return folders.every((folder) => (statSync(folder).mode & 0o005) === 0o005)
    ? false
    : 'others may not enter this checkout'
}

async function occupy(port: number, host = '127.0.0.1'): Promise<number> {
  const server = createServer()
  servers.push(server)
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch {
    return port // Somebody else has it already, which is as good.
  }
  return (server.address() as AddressInfo).port
}

async function isGone(pid: number | undefined): Promise<boolean> {
  return pid === undefined || !existsSync(`/proc/${pid}`)
}

test('the first start makes everything, and what it prints works when pasted', async () => {
  const dataDir = makeDataDir()
  await occupy(4000)
  await occupy(5432)
  const kolo = await startKolo({ dataDir })
  const curl = /^ {2}(curl .+)$/m.exec(kolo.output())?.[1]
  assert(curl, kolo.output())
  const answer = execFileSync('sh', ['-c', `${curl} -sS -w '%{http_code}'`], { encoding: 'utf8' })
  assert.match(answer, /"currency":"NGN".*200$/)
  assert.doesNotMatch(kolo.output(), /warning/i)
  assert.notEqual(new URL(kolo.origin).port, '4000')
  assert.equal(statSync(join(dataDir, 'local.json')).mode & 0o777, 0o600)
  assert.deepEqual(Object.keys(kolo.access), ['baseUrl', 'organizationId', 'apiKey', 'email', 'password'])
  assert.equal((await fetch(`${kolo.origin}/docs`)).status, 200)
  const pid = postgresPid(dataDir)
  assert.equal(await kolo.end('SIGTERM'), 0)
  assert(await isGone(pid), 'the database ends with the service')
})

test('a service that was killed leaves its database running; the next one takes it over and ends it', async () => {
  const dataDir = makeDataDir()
  const first = await startKolo({ dataDir })
  const pid = postgresPid(dataDir)
  await first.end('SIGKILL')
  const again = await startKolo({ dataDir })
  assert.equal(postgresPid(dataDir), pid)
  assert.equal(await again.end('SIGTERM'), 0)
  assert(await isGone(pid))
})

test('two services on one data folder share its database; the last of them to end stops it', async () => {
  const dataDir = makeDataDir()
  const api = await startKolo({ dataDir })
  const pid = postgresPid(dataDir)
  const worker = await startKolo({ dataDir, role: 'worker' })
  assert.equal(await worker.end('SIGTERM'), 0)
  assert.equal((await api.call('GET', '/v1/wallets')).status, 200)
  assert.equal(await api.end('SIGTERM'), 0)
  assert(await isGone(pid))
})

test('a database that does not answer yet is waited for', async () => {
  const dataDir = makeDataDir()
  const first = await startKolo({ dataDir })
  const pid = postgresPid(dataDir)!
  await first.end('SIGKILL')
  process.kill(pid, 'SIGSTOP')
  const { child, output } = runKolo(['start'], { dataDir })
  // Longer than a second server beside it would be tried for.
  await eventually('it has waited', () => elapsedOf(child.pid!) > 6, 30_000)
  assert.deepEqual([child.exitCode, output()], [null, ''])
  process.kill(pid, 'SIGCONT')
  await eventually('it is ready', () => output().includes('Kolo is ready'), 30_000)
  assert.equal(postgresPid(dataDir), pid)
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

/** For how many seconds a process has run. */
function elapsedOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'etimes=', '-p', String(pid)], { encoding: 'utf8' }))
}

test('a lock file that names a living stranger does not keep the database from starting', async () => {
  const dataDir = makeDataDir()
  const first = await startKolo({ dataDir })
  const lock = join(dataDir, 'postgres', 'postmaster.pid')
  const lines = readFileSync(lock, 'utf8').split('\n')
  first.child.kill('SIGKILL')
  killPostgres(dataDir)
  const pid = Number(lines[0])
  await eventually('the database is gone', () => isGone(pid))
  writeFileSync(lock, [String(process.pid), ...lines.slice(1)].join('\n'))
  const again = await startKolo({ dataDir })
  assert.equal((await again.call('GET', '/v1/wallets')).status, 200)
  assert.equal(await again.end('SIGTERM'), 0)
})

test('two data folders run side by side, each with its own organization', async () => {
  const [one, other] = await Promise.all([makeDataDir(), makeDataDir()].map((dataDir) => startKolo({ dataDir })))
  assert.notEqual(one!.origin, other!.origin)
  assert.notEqual(one!.access.organizationId, other!.access.organizationId)
  const crossed = await fetch(`${other!.origin}/api/v1/wallets`, {
    headers: { authorization: `Bearer ${one!.access.apiKey}` },
  })
  assert.equal(crossed.status, 401)
  assert.deepEqual(await Promise.all([one!.end('SIGTERM'), other!.end('SIGINT')]), [0, 0])
})

test('a port that is set and taken stops the start with a sentence, and leaves nothing running', async () => {
  const dataDir = makeDataDir()
  const port = await occupy(0)
  const { code, output } = await finishKolo(['start'], { dataDir, env: { PORT: String(port) } })
  assert.equal(code, 1)
  assert.match(output, new RegExp(`PORT is ${port}, which another program uses`))
  assert.doesNotMatch(output, /\n {4}at /)
  assert.equal(postgresPid(dataDir), undefined)
})

test('a wrong setting stops the start with a sentence that names it', async () => {
  const { code, output } = await finishKolo(['start'], { dataDir: makeDataDir(), env: { KOLO_ENV: 'staging' } })
  assert.equal(code, 1)
  assert.match(output, /^KOLO_ENV is "staging" but must be one of/)
  const production = await finishKolo(['start'], { dataDir: makeDataDir(), env: { KOLO_ENV: 'production' } })
  assert.equal(production.code, 1)
  assert.match(production.output, /DATABASE_URL, KOLO_MASTER_KEY, KOLO_JWT_KEYS, KOLO_PUBLIC_URL/)
})

test('a signal during the start ends it cleanly', async () => {
  const dataDir = makeDataDir()
  const kolo = await startKolo({ dataDir })
  await kolo.end('SIGTERM')
  const { child, output } = runKolo(['start'], { dataDir })
  await eventually('the database is being started', () => postgresPid(dataDir) !== undefined)
  const pid = postgresPid(dataDir)
  child.kill('SIGTERM')
  const [code] = (await once(child, 'exit')) as [number]
  assert.equal(code, 0, output())
  assert(await isGone(pid))
})

test('an ordinary user starts it too', { skip: ordinaryUserMissing() }, async () => {
  const dataDir = makeDataDir(NOBODY)
  const kolo = await startKolo({ dataDir, uid: NOBODY })
  assert.equal((await kolo.call('GET', '/v1/wallets')).status, 200)
  assert.equal(statSync(join(dataDir, 'postgres')).uid, NOBODY)
  assert.equal(await kolo.end('SIGTERM'), 0)
})

test(
  'where user namespaces are forbidden, root runs the database as nobody and says so',
  { skip: isRoot ? false : 'only root needs another user' },
  async () => {
    const dataDir = makeDataDir()
    const bin = join(dataDir, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'unshare'), '#!/bin/sh\nexit 1\n')
    chmodSync(join(bin, 'unshare'), 0o755)
    const kolo = await startKolo({ dataDir, env: { PATH: `${bin}:${process.env['PATH']}` } })
    const folder = /runs as "nobody", with its files in (\S+)\.$/m.exec(kolo.output())?.[1]
    assert(folder, kolo.output())
    assert.equal(statSync(folder).uid, NOBODY)
    assert.equal((await kolo.call('GET', '/v1/wallets')).status, 200)
    assert.equal(await kolo.end('SIGTERM'), 0)
    rmSync(join(folder, '..'), { recursive: true, force: true })
  },
)

test('roles run apart on one database, and the clock moved in one is moved in all', async () => {
  const { url, drop } = await cloneDatabase()
  const env = { DATABASE_URL: url }
  const dataDir = makeDataDir()
  const api = await startKolo({ dataDir, env, role: 'api' })
  const others = await Promise.all(
    (['worker', 'simulator', 'api'] as const).map((role) => startKolo({ dataDir, env, role })),
  )
  const second = others.at(-1)!.origin
  await api.call('POST', '/v1/sandbox/wallets/NGN/fund', { amount: 100 })
  const moved = (await (await api.call('POST', '/v1/sandbox/clock/advance', { seconds: 86_400 })).json()) as {
    data: { complete: boolean; offsetSeconds: number }
  }
  assert.equal(moved.data.complete, true)
  const seen = (await (
    await fetch(`${second}/api/v1/sandbox/clock`, { headers: { authorization: `Bearer ${api.access.apiKey}` } })
  ).json()) as { data: { offsetSeconds: number } }
  assert.equal(seen.data.offsetSeconds, moved.data.offsetSeconds)
  assert.deepEqual(await Promise.all([api, ...others].map((kolo) => kolo.end('SIGTERM'))), [0, 0, 0, 0])
  await drop()
})

test('in production there is no simulator, and none is said to run', async () => {
  const { url, drop } = await cloneDatabase()
  const { privateKey } = generateKeyPairSync('ed25519')
  const env = {
    KOLO_ENV: 'production',
    PORT: '0',
    DATABASE_URL: url,
    KOLO_MASTER_KEY: `first:${randomBytes(32).toString('base64')}`,
    KOLO_JWT_KEYS: JSON.stringify([{ ...privateKey.export({ format: 'jwk' }), kid: 'first' }]),
    KOLO_PUBLIC_URL: 'https://pay.example.com',
  }
  const { child, output } = runKolo(['start'], { dataDir: makeDataDir(), env })
  await eventually('it is ready', () => output().includes('Kolo is ready'), 30_000)
  assert.match(output(), /^Kolo is ready \(production; api, worker\)\.$/m)
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
  await drop()
})
