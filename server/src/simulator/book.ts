import { readFileSync } from 'node:fs'
import pg from 'pg'

type Query = <Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]) => Promise<Row[]>

/** The provider's own book, in a schema of its own: it outlives a crash and can be compared with ours. */
export type Book = {
  readonly query: Query
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>
  close(): Promise<void>
}

const schema = readFileSync(new URL('./schema.sql', import.meta.url), 'utf8')
const ADVISORY_LOCK = 5_660_010

export async function openBook(url: string): Promise<Book> {
  const pool = new pg.Pool({ connectionString: url, max: 8, application_name: 'kolo-simulator' })
  pool.on('error', () => undefined)
  const queryOn =
    (on: pg.Pool | pg.PoolClient): Query =>
    async (text, values = []) =>
      (await on.query(text, values as unknown[])).rows as never
  const book: Book = {
    query: queryOn(pool),
    async transaction(work) {
      const client = await pool.connect()
      try {
        await client.query('begin')
        const result = await work(queryOn(client))
        await client.query('commit')
        return result
      } catch (error) {
        await client.query('rollback').catch(() => undefined)
        throw error
      } finally {
        client.release()
      }
    },
    close: () => pool.end(),
  }
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCK])
    await client.query(schema)
    await client.query('commit')
  } finally {
    client.release()
  }
  return book
}
