import { readConfig } from '../config.ts'
import { migrate } from '../db/migrate.ts'
import { provideDatabase } from './database.ts'
import { say } from './output.ts'

/** kolo migrate */
export async function runMigrate(): Promise<void> {
  const database = await provideDatabase(readConfig())
  try {
    const applied = await migrate(database.url)
    say(applied.length === 0 ? 'The schema is current.' : `Applied ${applied.join(', ')}.`)
  } finally {
    await database.stop()
  }
}
