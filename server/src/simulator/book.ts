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
    async (text, values) =>
      (await on.query(text, values as unknown[] | undefined)).rows as never
  const book: Book = {
    query: queryOn(pool),
    async transaction(work) {
      const client = await pool.connect()
      let broken: Error | undefined
      // A connection can break between two statements, and nobody waits for an answer then: unheard, it ends the process.
      const onError = (error: Error) => (broken = error)
      client.on('error', onError)
      try {
        await client.query('begin')
        const result = await work(queryOn(client))
        await client.query('commit')
        return result
      } catch (error) {
        if (!broken) await client.query('rollback').catch((failure: Error) => (broken = failure))
        throw error
      } finally {
        client.off('error', onError)
        client.release(broken)
      }
    },
    close: () => pool.end(),
  }
  await book.transaction(async (query) => {
    await query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCK])
    // Without values: a text of several statements is taken only so.
    await query(schema)
  })
  return book
}
