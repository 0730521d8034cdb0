import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { checkoutDir } from '../src/config.ts'
import { eventually } from './world.ts'

/** A real `kolo` process, as an operator runs it. */
export type KoloProcess = {
  readonly child: ChildProcess
  readonly dataDir: string
  /** What it has printed so far. */
  readonly output: () => string
  /** Where it listens, once it is ready. */
  readonly origin: string
  readonly access: LocalAccess
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  /** Sends a signal and answers the exit code, or the signal it ended by. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>
  /** As if the power had failed. */
  kill(): Promise<void>
  /** The exit code, or the signal it ended by, when it has. */
  readonly ended: Promise<number | NodeJS.Signals>
}

export type LocalAccess = { baseUrl: string; organizationId: string; apiKey: string; email: string; password: string }

export type ProcessOptions = {
  readonly dataDir: string
  readonly env?: Readonly<Record<string, string>>
  /** One role of several processes: on any free port, and silent. */
  readonly role?: 'api' | 'worker' | 'simulator'
  /** Runs it as this user; only root can. */
  readonly uid?: number
}

const launcher = join(checkoutDir, 'server/bin/kolo.js')
const START_MS = 60_000

/** Ends, by its id, whatever a test left running: processes of ours, and the PostgreSQL of a data folder. */
const leftovers: (() => void)[] = []
after(() => {
  for (const end of leftovers.toReversed()) end()
})

/** A data folder of mode 0700 that disappears with the test file. */
export function makeDataDir(uid?: number): string {
  const dir = mkdtempSync(join(tmpdir(), 'kolo-process-'))
  chmodSync(dir, 0o700)
  leftovers.push(() => {
    killPostgres(dir)
    rmSync(dir, { recursive: true, force: true })
  })
  if (uid !== undefined) chownSync(dir, uid, uid)
  return dir
}

/** Kills the PostgreSQL of a data folder outright, as a lost machine would. */
export function killPostgres(dataDir: string): void {
  const pid = postgresPid(dataDir)
  if (pid) tryKill(pid)
}

export function postgresPid(dataDir: string): number | undefined {
  try {
    return Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]) || undefined
  } catch {
    return undefined
  }
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** Starts a command without waiting for it; the environment of the test run does not reach it. */
export function runKolo(args: readonly string[], { dataDir, env = {}, role, uid }: ProcessOptions) {
  const ofRole = role ? { PORT: '0', KOLO_LOG_LEVEL: 'fatal' } : {}
  const child = spawn(process.execPath, [launcher, ...args], {
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: dataDir, KOLO_DATA_DIR: dataDir, SIMULATOR_PORT: '0', ...ofRole, ...env },
    ...(uid !== undefined && { uid, gid: uid }),
  })
  leftovers.push(() => child.pid !== undefined && child.exitCode === null && tryKill(child.pid))
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
  return { child, stdout, stderr, output: () => stdout() + stderr() }
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = ''
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
  return () => text
}

/** Runs a command to its end. */
export async function finishKolo(args: readonly string[], options: ProcessOptions) {
  const { child, stdout, stderr, output } = runKolo(args, options)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout: stdout(), stderr: stderr(), output: output() }
}

/** `kolo start`, ready. */
export async function startKolo(options: ProcessOptions): Promise<KoloProcess> {
  const { dataDir, role } = options
  const { child, output } = runKolo(role ? ['start', '--role', role] : ['start'], options)
  const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals)
  await eventually(
    'the service is ready',
    () => {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`it ended: ${output()}`)
      return output().includes('Kolo is ready')
    },
    START_MS,
  )
  const access = readAccess(dataDir)
  const origin = /http:\/\/localhost:\d+/.exec(output())?.[0] ?? 'http://127.0.0.1:1'
  async function end(signal: NodeJS.Signals) {
    child.kill(signal)
    return ended
  }
  return {
    child,
    dataDir,
    output,
    access,
    origin,
    ended,
    end,
    kill: async () => void (await end('SIGKILL')),
    call: (method, path, body, headers = {}) =>
      fetch(`${origin}/api${path}`, {
        method,
        headers: {
          authorization: `Bearer ${access.apiKey}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
  }
}

function readAccess(dataDir: string): LocalAccess {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'local.json'), 'utf8')) as LocalAccess
  } catch {
    return { baseUrl: 'http://127.0.0.1:1', organizationId: '', apiKey: '', email: '', password: '' }
  }
}
