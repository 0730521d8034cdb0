import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { DestinationStream } from 'pino'
import { parseConfig } from '../src/config.ts'
import type { Deps } from '../src/deps.ts'
import { createLog } from '../src/log.ts'
import type { Rail } from '../src/rails/rail.ts'
import { createRails } from '../src/rails/registry.ts'
import { railsOf } from '../src/sandbox-provider.ts'
import { createCore, startService, type Role, type Service } from '../src/service.ts'
import { cloneDatabase } from './database.ts'

export type TestService = Service & { readonly databaseUrl: string; readonly origin: string }

export type ServiceOptions = {
  readonly env?: Readonly<Record<string, string>>
  readonly roles?: readonly Role[]
  /** Where log lines go, instead of the terminal. */
  readonly logTo?: DestinationStream
  /** An existing database, for a second process on it. */
  readonly databaseUrl?: string
  /** What the name server says. */
  readonly lookup?: Deps['lookup']
  /** The rails, where they are to be others than usual. */
  readonly rails?: (rails: readonly Rail[]) => readonly Rail[]
}

/** Registered while the file is read: inside a test, `after` would end with that test. */
const endings: (() => Promise<void>)[] = []
after(async () => {
  for (const end of endings.toReversed()) await end()
})

// Two queries at once on one connection: the driver queues them, says so once and will stop to. No code of ours may.
process.on('warning', (warning) => {
  if (/already executing a query/.test(warning.message)) throw warning
})

/** A service on a database of its own, in this process. Ends with the test file. */
export async function createService({
  env = {},
  roles = ['api', 'worker', 'simulator'],
  databaseUrl,
  logTo,
  lookup,
  rails,
}: ServiceOptions = {}): Promise<TestService> {
  const own = databaseUrl === undefined ? await cloneDatabase() : undefined
  const url = databaseUrl ?? own!.url
  const dataDir = mkdtempSync(join(tmpdir(), 'kolo-data-'))
  const config = parseConfig({
    KOLO_DATA_DIR: dataDir,
    KOLO_LOG_LEVEL: 'error',
    KOLO_WORKER_SILENCE_MS: '1000',
    KOLO_DRAIN_MS: '2000',
    SIMULATOR_PORT: '0',
    ...env,
  })
  const core = createCore(config, url, createLog(config.logLevel ?? 'error', logTo))
  const { deps } = core
  const others = {
    ...(lookup && { lookup }),
    ...(rails && { rails: createRails(rails(railsOf(config, core.db, deps.secrets)), deps.metrics) }),
  }
  const service = await startService({ ...core, deps: { ...deps, ...others } }, roles)
  // The provider's notices arrive by real HTTP, so the service listens, on any port.
  const origin = await service.app.fastify.listen({ host: '127.0.0.1', port: 0 })
  core.setPublicUrl(origin)
  await service.announce(origin)
  service.app.enter('ready')
  endings.push(async () => {
    await service.stop()
    await own?.drop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return { ...service, databaseUrl: url, origin }
}
