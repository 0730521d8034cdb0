import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { sqlState } from '../database.ts'
import { chooseAccount, type Account } from './account.ts'
import { nativeFolder } from './binaries.ts'
import { findPostmaster, hasOwner, joinOwners, leaveOwners, removeStrangersLock } from './postmaster.ts'

export type EmbeddedPostgres = {
  readonly url: string
  readonly notice?: string
  /** Stops the server if this process is the last that answers for it: services, else who found it without an owner. */
  stop(): Promise<void>
}

export type EmbeddedOptions = {
  readonly dataDir: string
  /** Extra settings of the server, e.g. `fsync=off` for tests that never lose power. */
  readonly settings?: readonly string[]
  /** A service outlives the command that may have started the server before it, and answers for it too from now on. */
  readonly isService?: boolean
}

const USER = 'kolo'
const DATABASE = 'kolo'
const WRONG_PASSWORD = '28P01'
/** Recovery after a crash can take a while on a busy cluster; a start that takes longer has failed. */
const START_TIMEOUT_MS = 60_000
/** The port may be taken in the moment between finding and using it; children of a killed server need one to end. */
const START_TRIES = 6
/** PostgreSQL's fast shutdown: it ends sessions, writes everything down and leaves. */
const FAST_SHUTDOWN = 'SIGINT'

/** Finds the PostgreSQL of this data folder running, or starts it, making its files the first time. */
export async function startEmbedded({
  dataDir,
  settings = [],
  isService = false,
}: EmbeddedOptions): Promise<EmbeddedPostgres> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const account = chooseAccount(nativeFolder(), dataDir)
  const password = readPassword(dataDir)
  const notice = account.notice ? { notice: account.notice } : {}
  const running = await findRunning(account, password)
  if (running) {
    if (isService || !hasOwner(dataDir)) joinOwners(dataDir)
    return { url: running.url, stop: () => stopFound(dataDir, running.pid), ...notice }
  }
  if (!existsSync(join(account.clusterDir, 'PG_VERSION'))) makeCluster(account, password)
  removeStrangersLock(account.clusterDir)
  const { child, url } = await startServer(account, dataDir, password, settings)
  joinOwners(dataDir)
  return { url, stop: () => stopStarted(dataDir, child), ...notice }
}

async function stopFound(dataDir: string, pid: number): Promise<void> {
  if (!leaveOwners(dataDir) || !isAlive(pid)) return
  process.kill(pid, FAST_SHUTDOWN)
  while (isAlive(pid)) await pause(20)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function readPassword(dataDir: string): string {
  const file = join(dataDir, 'postgres-password')
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('base64url'), { mode: 0o600 })
  return readFileSync(file, 'utf8').trim()
}

function makeCluster(account: Account, password: string): void {
  // Made aside and renamed when whole: a start killed in the middle of this leaves nothing half made behind.
  const unfinished = `${account.clusterDir}-unfinished`
  const passwordFile = `${account.clusterDir}-initial-password`
  rmSync(unfinished, { recursive: true, force: true })
  rmSync(passwordFile, { force: true })
  mkdirSync(unfinished, { mode: 0o700 })
  writeFileSync(passwordFile, password, { mode: 0o600 })
  const { uid, gid } = account.identity
  if (uid !== undefined && gid !== undefined) for (const path of [unfinished, passwordFile]) chownSync(path, uid, gid)
  const [program, args] = account.command(join(account.native, 'bin', 'initdb'), [
    '-D',
    unfinished,
    '-U',
    USER,
    '-E',
    'UTF8',
    '--locale-provider=builtin',
    '--locale=C.UTF-8',
    '--no-sync',
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    '--no-instructions',
  ])
  const made = spawnSync(program, args, { encoding: 'utf8', ...account.identity })
  rmSync(passwordFile)
  if (made.status !== 0) throw new Error(`initdb could not make a PostgreSQL: ${made.stderr || made.error?.message}`)
  renameSync(unfinished, account.clusterDir)
}

async function startServer(account: Account, dataDir: string, password: string, settings: readonly string[]) {
  for (let tries = 1; ; tries += 1) {
    const port = await freePort()
    // To a file, not a pipe: a reader that stops reading must not stop the database.
    const log = openSync(join(dataDir, 'postgres.log'), 'a', 0o600)
    const options = [
      `port=${port}`,
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'max_connections=200',
      ...settings,
    ]
    const [program, args] = account.command(join(account.native, 'bin', 'postgres'), [
      '-D',
      account.clusterDir,
      ...options.flatMap((option) => ['-c', option]),
    ])
    // Its own session: Ctrl-C in the terminal reaches us alone, and we stop the database last.
    const child = spawn(program, args, { stdio: ['ignore', log, log], detached: true, ...account.identity })
    closeSync(log)
    const url = `postgres://${USER}:${password}@127.0.0.1:${port}/${DATABASE}`
    if (await isUp(child, url)) return { child, url }
    child.kill('SIGQUIT')
    if (tries === START_TRIES)
      throw new Error(`The embedded PostgreSQL did not start. Its own words are in ${join(dataDir, 'postgres.log')}.`)
    await pause(100 * tries)
  }
}

/** Waits until the server answers and the database exists; false when its process ended first. */
async function isUp(child: ChildProcess, url: string): Promise<boolean> {
  const deadline = performance.now() + START_TIMEOUT_MS
  while (child.exitCode === null && child.signalCode === null && performance.now() < deadline) {
    if (await ensureDatabase(url)) return true
    await pause(20)
  }
  return false
}

async function findRunning(account: Account, password: string): Promise<{ url: string; pid: number } | undefined> {
  const deadline = performance.now() + START_TIMEOUT_MS
  for (;;) {
    const postmaster = findPostmaster(account.clusterDir)
    if (!postmaster) return undefined
    const url = `postgres://${USER}:${password}@127.0.0.1:${postmaster.port}/${DATABASE}`
    if (await ensureDatabase(url)) return { url, pid: postmaster.pid }
    // It recovers after a crash, or is about to end: a second one beside it could not start.
    if (performance.now() > deadline) return undefined
    await pause(50)
  }
}

/** Whether the server takes connections; makes our database in it if it is not there yet. */
async function ensureDatabase(url: string): Promise<boolean> {
  const maintenance = new URL(url)
  maintenance.pathname = '/postgres'
  const client = new pg.Client({ connectionString: maintenance.href, connectionTimeoutMillis: 2_000 })
  // A server that is about to end breaks connections between two statements; what it means is found out by the next one.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [DATABASE])
    if (rowCount === 0) await client.query(`create database ${DATABASE}`)
    return true
  } catch (error) {
    if (sqlState(error) === WRONG_PASSWORD) {
      throw new Error('The embedded PostgreSQL does not know the password in postgres-password. Restore that file.', {
        cause: error,
      })
    }
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function stopStarted(dataDir: string, child: ChildProcess): Promise<void> {
  if (!leaveOwners(dataDir)) return child.unref()
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill(FAST_SHUTDOWN)
  await ended
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
