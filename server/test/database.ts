import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { migrate } from '../src/db/migrate.ts'

const TEMPLATE = 'kolo_template'

/** Makes the migrated database that every test file gets a copy of. */
export async function createTemplate(url: string): Promise<void> {
  await withAdmin(url, (client) => client.query(`create database ${TEMPLATE}`))
  await migrate(withDatabase(url, TEMPLATE))
}

/** A database of its own, copied from the template; answers its address and how to drop it. */
export async function cloneDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const admin = process.env['KOLO_TEST_DATABASE_URL']
  if (!admin) throw new Error('Run tests by "npm test": it sets up their database.')
  const name = `test_${randomBytes(6).toString('hex')}`
  await withAdmin(admin, (client) => client.query(`create database ${name} template ${TEMPLATE}`))
  return {
    url: withDatabase(admin, name),
    drop: () => withAdmin(admin, (client) => client.query(`drop database if exists ${name} with (force)`)),
  }
}

async function withAdmin(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}
