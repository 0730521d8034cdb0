import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { checkoutDir } from '../src/config.ts'

const kolo = join(checkoutDir, 'server/bin/kolo.js')

type Environment = Readonly<Record<string, string>>

/** Runs a command of its own process to its end. */
export async function runKolo(args: readonly string[], env: Environment) {
  const child = launch(args, env)
  const [stdout, stderr] = [collect(child.stdout!), collect(child.stderr!)]
  const [code] = (await once(child, 'exit')) as [number | null]
  return { code, stdout: stdout(), stderr: stderr() }
}

export type KoloProcess = {
  readonly pid: number
  /** The origin it listens at. */
  readonly origin: string
  /** As if the power had failed. */
  kill(): Promise<void>
  /** Answers when the process has ended by itself. */
  readonly ended: Promise<unknown>
}

/** Starts a process of the service and waits until it says that it is ready. */
export async function startKolo(role: string, env: Environment): Promise<KoloProcess> {
  const child = launch(['start', '--role', role], { PORT: '0', KOLO_LOG_LEVEL: 'fatal', ...env })
  const ended = once(child, 'exit')
  const output = collect(child.stdout!)
  const errors = collect(child.stderr!)
  await new Promise<void>((resolve, reject) => {
    child.stdout!.on('data', () => output().includes('Kolo is ready') && resolve())
    child.once('exit', () => reject(new Error(`kolo start --role ${role} ended: ${errors()}`)))
  })
  return {
    pid: child.pid!,
    origin: /http:\/\/localhost:\d+/.exec(output())?.[0] ?? '',
    ended,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Under the Node that runs the test, without the launcher between: a signal reaches the process it is meant for. */
function launch(args: readonly string[], env: Environment): ChildProcess {
  return spawn(process.execPath, [kolo, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = ''
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
  return () => text
}
