import { once } from 'node:events'
import { createServer } from 'node:net'
import { parseArgs } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { ConfigError, readConfig, type Config } from '../config.ts'
import { migrate } from '../db/migrate.ts'
import { createLog } from '../log.ts'
import { createCore, roles, startService, type Role } from '../service.ts'
import { listenOn, listenOnFreePort } from '../listening.ts'
import { banner } from './banner.ts'
import { provideDatabase } from './database.ts'
import { provideLocalAccess } from './local.ts'
import { say, UsageError } from './output.ts'

const FIRST_PORT = 4000
const LOOPBACK = '127.0.0.1'
/** After the requests: workers, connections and the database. */
const FINISH_MS = 4_000

/** kolo start [--role api|worker|simulator|all] */
export async function start(args: string[]): Promise<void> {
  const asked = rolesOf(args)
  const config = readConfig()
  const wanted = asked ?? (config.env === 'production' ? roles.filter((role) => role !== 'simulator') : roles)
  const ends: (() => Promise<void>)[] = []
  const stop = async () => {
    for (const end of ends.toReversed()) await end()
  }
  const starting = bringUp(config, wanted, ends)
  stopOnSignal(starting, stop, config)
  try {
    await starting
  } catch (error) {
    // What was started first must not outlive the failure: nobody would stop the database.
    await stop()
    throw error
  }
}

/** Starts everything in order; what has to be ended again, last first, is added to `ends` as it begins. */
async function bringUp(config: Config, wanted: readonly Role[], ends: (() => Promise<void>)[]): Promise<void> {
  const log = createLog(config.logLevel ?? (config.env === 'local' ? 'warn' : 'info'))
  const database = await provideDatabase(config, true)
  ends.push(database.stop)
  if (database.notice) say(database.notice)
  await migrate(database.url)
  const core = createCore(config, database.url, log)
  const service = await startService(core, wanted)
  ends.push(service.stop)
  const port = await listen(service.app.fastify, config)
  core.setPublicUrl(`http://localhost:${port}`)
  await service.announce(`http://127.0.0.1:${port}`)
  const access = config.env === 'local' && wanted.includes('api') ? await provideLocalAccess(service.deps) : undefined
  service.app.enter('ready')
  say(banner(service.deps, wanted, access))
}

/** The roles asked for by name; undefined: all that the environment has. */
function rolesOf(args: string[]): readonly Role[] | undefined {
  const { values } = parseArgs({ args, options: { role: { type: 'string', default: 'all' } } })
  const role = values.role
  if (role === 'all') return undefined
  const found = roles.find((one) => one === role)
  if (!found) throw new UsageError(`--role is "${role}" but must be one of ${roles.join(', ')}, all.`)
  return [found]
}

/** On the configured port, or the next free one from 4000. */
async function listen(fastify: FastifyInstance, config: Config): Promise<number> {
  const host = config.host ?? (config.env === 'local' ? LOOPBACK : '0.0.0.0')
  const open = async (at: string, port: number) => {
    if (at === LOOPBACK) await refuseTakenTwin(port)
    await fastify.listen({ host: at, port })
    const address = fastify.server.address()
    return typeof address === 'object' && address ? address.port : port
  }
  if (config.port === undefined) {
    const port = await listenOnFreePort(open, host, FIRST_PORT)
    if (port === undefined) throw new ConfigError('No port from 4000 on is free. Set PORT to one that is.')
    return port
  }
  const port = await listenOn(open, host, config.port)
  if (port !== undefined) return port
  throw new ConfigError(
    `PORT is ${config.port}, which another program uses. Choose another port, or leave PORT unset for the next free one.`,
  )
}

/** "localhost" may mean ::1 as well: where another program has our port there, a caller would reach that one. */
async function refuseTakenTwin(port: number): Promise<void> {
  const probe = createServer()
  const ready = once(probe, 'listening')
  probe.listen(port, '::1')
  try {
    await ready
  } catch (error) {
    if ((error as { code?: string }).code === 'EADDRINUSE') throw error
  } finally {
    probe.close()
  }
}

/** The first signal drains and exits 0; whatever cannot be finished in time is cut off by the deadline. */
function stopOnSignal(starting: Promise<void>, stop: () => Promise<void>, { drainMs }: Config): void {
  let isStopping = false
  const begin = () => {
    if (isStopping) return
    isStopping = true
    setTimeout(() => process.exit(0), drainMs + FINISH_MS).unref()
    // A start that fails ends by itself, with its own words.
    starting.then(stop).then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`Stopping failed: ${(error as Error).message}\n`)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', begin)
  process.on('SIGINT', begin)
}
