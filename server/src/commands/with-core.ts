import { readConfig } from '../config.ts'
import { migrate } from '../db/migrate.ts'
import { createLog } from '../log.ts'
import { createCore, type Core } from '../service.ts'
import { readClock } from '../workers/store.ts'
import { provideDatabase } from './database.ts'

/** Runs a command against the service's database, migrated, by the service's clock. */
export async function withCore<T>(work: (core: Core) => Promise<T>): Promise<T> {
  const config = readConfig()
  const database = await provideDatabase(config)
  try {
    await migrate(database.url)
    const core = createCore(config, database.url, createLog(config.logLevel ?? 'warn'))
    try {
      core.deps.clock.apply(await readClock(core.db))
      return await work(core)
    } finally {
      await core.close()
    }
  } finally {
    await database.stop()
  }
}
