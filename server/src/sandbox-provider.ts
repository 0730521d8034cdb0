import type { Config } from './config.ts'
import type { Db } from './db/database.ts'
import { listenOn, listenOnFreePort } from './listening.ts'
import type { Rail } from './rails/rail.ts'
import { sandboxConnection, sharedSecret } from './rails/sandbox/connection.ts'
import { sandboxRails } from './rails/sandbox/index.ts'
import type { Secrets } from './secrets.ts'
import type { Core } from './service.ts'
import { createSimulator } from './simulator/server.ts'

const FIRST_PORT = 4100

/** The rails of this deployment. In local and sandbox they lead to the built-in provider, wherever it runs. */
export function railsOf(config: Config, db: Db, secrets: Secrets): readonly Rail[] {
  if (config.env === 'production') return []
  return sandboxRails(sandboxConnection(config, db, secrets))
}

/** Starts the built-in provider; in production there is none. */
export async function createSandboxProvider(core: Core): Promise<{ url: string; close(): Promise<void> } | undefined> {
  const { config, secrets } = core.deps
  if (config.env === 'production') return undefined
  const simulator = await createSimulator({
    databaseUrl: core.databaseUrl,
    secret: sharedSecret(secrets),
    publicUrl: config.simulatorPublicUrl,
  })
  const host = config.host ?? (config.env === 'local' ? '127.0.0.1' : '0.0.0.0')
  const port =
    config.simulatorPort === undefined
      ? await listenOnFreePort(simulator.listen, host, FIRST_PORT)
      : await listenOn(simulator.listen, host, config.simulatorPort)
  if (port === undefined)
    throw new Error(`SIMULATOR_PORT ${config.simulatorPort ?? ''} is used by another program. Choose another one.`)
  return { url: `http://127.0.0.1:${port}`, close: simulator.close }
}
