import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Statement } from './sql.ts'

/** Reads. */
export type Db = {
  many<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]>
  /** The only row; refuses to go on with none or several. */
  one<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row>
  maybe<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row | undefined>
  /** Runs `work` in a transaction; inside one, joins it. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Runs `work` in a transaction of its own, committed when this answers: for what must be on record before a provider is called. */
  independently<T>(work: (tx: Tx) => Promise<T>): Promise<T>
}

/** Writes: exists only inside a transaction, so that the compiler refuses a pool where one is needed. */
export type Tx = Db & {
  readonly isTransaction: true
  /** Tells a worker, once this has committed, that it may find work. A hint: polling is the truth. */
  wake(worker: string): void
  /** Runs `work` so that what it wrote can be undone alone: an error rolls back to here and is thrown on. */
  savepoint<T>(work: () => Promise<T>): Promise<T>
}

/** Whether what is done with it happens in a transaction somebody else has begun. */
export function isTransaction(db: Db): db is Tx {
  return 'isTransaction' in db
}

export type Database = Db & { readonly pool: pg.Pool; close(): Promise<void> }

const INT8 = 20
const INT8_ARRAY = 1016
pg.types.setTypeParser(INT8, BigInt)
pg.types.setTypeParser(INT8_ARRAY as number as never, (text: string) =>
  text === '{}' ? [] : text.slice(1, -1).split(',').map(BigInt),
)

export type DatabaseOptions = {
  readonly url: string
  readonly poolSize: number
  readonly waitMs: number
  /** A transaction that says nothing for this long belongs to a process that has stopped, and holds locks for nobody. */
  readonly idleInTransactionMs: number
  readonly name: string
  readonly onError: (error: Error) => void
  /** Hears which worker a committed transaction has made work for. */
  readonly onWake: (worker: string) => void
}

/** No statement of ours takes this long; one that does is stuck and would hold locks. */
const STATEMENT_TIMEOUT_MS = 30_000
const LOCK_TIMEOUT_MS = 10_000

export function openDatabase(options: DatabaseOptions): Database {
  const { url, poolSize, waitMs, idleInTransactionMs, name, onError, onWake } = options
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: waitMs,
    application_name: name,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    keepAlive: true,
  })
  // An idle connection that breaks is replaced at the next use; without a listener it would end the process.
  pool.on('error', onError)
  const run: Db['transaction'] = (work) => retried(() => transaction(pool, work, onWake))
  return { ...reader(pool), pool, transaction: run, independently: run, close: () => pool.end() }
}

type Queryable = { query(query: { name: string; text: string; values: unknown[] }): Promise<pg.QueryResult> }

function reader(queryable: Queryable): Pick<Db, 'many' | 'one' | 'maybe'> {
  async function many<Row>({ name, text }: Statement<Row>, values: readonly unknown[] = []): Promise<Row[]> {
    return (await queryable.query({ name, text, values: values as unknown[] })).rows as Row[]
  }
  return {
    many,
    async one(statement, values) {
      const rows = await many(statement, values)
      assert.equal(rows.length, 1, `one row was expected of: ${statement.text}`)
      return rows[0]!
    },
    async maybe(statement, values) {
      const rows = await many(statement, values)
      assert(rows.length <= 1, `at most one row was expected of: ${statement.text}`)
      return rows[0]
    },
  }
}

async function transaction<T>(
  pool: pg.Pool,
  work: (tx: Tx) => Promise<T>,
  onWake: (worker: string) => void,
): Promise<T> {
  const woken = new Set<string>()
  const client = await pool.connect()
  let broken: Error | undefined
  const onError = (error: Error) => (broken = error)
  client.on('error', onError)
  try {
    await client.query('begin')
    const result = await work(transactionOn(client, woken))
    // COMMIT of an aborted transaction answers ROLLBACK without an error. Do not believe silence.
    assert.equal((await client.query('commit')).command, 'COMMIT')
    for (const worker of woken) onWake(worker)
    return result
  } catch (error) {
    if (!broken) await client.query('rollback').catch((failure: Error) => (broken = failure))
    throw error
  } finally {
    client.off('error', onError)
    client.release(broken)
  }
}

function transactionOn(client: pg.PoolClient, woken: Set<string>): Tx {
  const tx: Tx = {
    ...reader(client),
    isTransaction: true,
    transaction: (work) => work(tx),
    independently: () => assert.fail('a transaction cannot commit a part of itself'),
    wake: (worker) => woken.add(worker),
    async savepoint(work) {
      await client.query('savepoint step')
      try {
        const result = await work()
        await client.query('release savepoint step')
        return result
      } catch (error) {
        // Released too, so that an outer one of the same name is the next to be found.
        await client.query('rollback to savepoint step; release savepoint step')
        throw error
      }
    },
  }
  return tx
}

const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'
const MAX_TRIES = 5

/** PostgreSQL asks to try again after a deadlock or a serialization failure; the work has left no trace. */
async function retried<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      const code = sqlState(error)
      if (tries >= MAX_TRIES || (code !== SERIALIZATION_FAILURE && code !== DEADLOCK)) throw error
      await pause(Math.random() * 10 * 2 ** tries)
    }
  }
}

export function sqlState(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined
  return typeof code === 'string' ? code : undefined
}

/** The named constraint an error comes from. */
export function violated(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.constraint : undefined
}

const lostStates = /^(08|57P0|53|55P03|57014|25P03)/
const lostMessages =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|ended by the other side|not queryable|server closed the connection/i
const lostCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
])

/** Whether an error says that the database could not be had, rather than that it refused. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = sqlState(error)
  if (error instanceof pg.DatabaseError) return code !== undefined && lostStates.test(code)
  return (code !== undefined && lostCodes.has(code)) || lostMessages.test(error.message)
}
