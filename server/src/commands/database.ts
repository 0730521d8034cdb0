import type { Config } from '../config.ts'
import { startEmbedded } from '../db/embedded/server.ts'

export type Provided = { readonly url: string; readonly notice?: string; stop(): Promise<void> }

/** The database a command works on: the configured one, or the embedded one, started where it does not run yet. */
export async function provideDatabase(config: Config, isService = false): Promise<Provided> {
  if (config.databaseUrl) return { url: config.databaseUrl, stop: async () => undefined }
  return startEmbedded({ dataDir: config.dataDir, isService })
}
