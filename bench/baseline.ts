import pg from 'pg'

/**
 * What the machine can do: pgbench's TPC-B transaction, its five statements prepared and sent from Node one by one, as
 * any application would. Every figure of a bench is told as a ratio to it, so that figures of two machines compare.
 */
export type Baseline = {
  /** Transactions a second of the best number of clients. */
  readonly perSecond: number
  readonly byClients: Readonly<Record<number, number>>
}

const SCALE = 10
const ACCOUNTS = 100_000 * SCALE
const TELLERS = 10 * SCALE
const CLIENTS = [1, 4, 8] as const

export async function prepareBaseline(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`
      create table pgbench_branches (bid int primary key, bbalance int not null, filler char(88)) with (fillfactor = 100);
      create table pgbench_tellers (tid int primary key, bid int, tbalance int not null, filler char(84)) with (fillfactor = 100);
      create table pgbench_accounts (aid int primary key, bid int, abalance int not null, filler char(84)) with (fillfactor = 100);
      create table pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22));
      insert into pgbench_branches select n, 0 from generate_series(1, ${SCALE}) n;
      insert into pgbench_tellers select n, (n - 1) / 10 + 1, 0 from generate_series(1, ${TELLERS}) n;
      insert into pgbench_accounts select n, (n - 1) / 100000 + 1, 0, '' from generate_series(1, ${ACCOUNTS}) n;`)
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}

export async function measureBaseline(url: string, seconds: number): Promise<Baseline> {
  const byClients: Record<number, number> = {}
  for (const count of CLIENTS) byClients[count] = await transactionsPerSecond(url, count, seconds)
  return { perSecond: Math.max(...Object.values(byClients)), byClients }
}

async function transactionsPerSecond(url: string, count: number, seconds: number): Promise<number> {
  const clients = Array.from({ length: count }, () => new pg.Client({ connectionString: url }))
  await Promise.all(clients.map((client) => client.connect()))
  try {
    await Promise.all(clients.map(transact))
    let done = 0
    const startedAt = performance.now()
    const endsAt = startedAt + seconds * 1000
    await Promise.all(
      clients.map(async (client) => {
        while (performance.now() < endsAt) {
          await transact(client)
          done += 1
        }
      }),
    )
    return done / ((performance.now() - startedAt) / 1000)
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}

async function transact(client: pg.Client): Promise<void> {
  const among = (most: number) => 1 + Math.floor(Math.random() * most)
  const [account, teller, branch, delta] = [among(ACCOUNTS), among(TELLERS), among(SCALE), among(10_000) - 5_000]
  const query = (name: string, text: string, values: unknown[]) => client.query({ name, text, values })
  await client.query('begin')
  await query('tpcb_1', 'update pgbench_accounts set abalance = abalance + $1 where aid = $2', [delta, account])
  await query('tpcb_2', 'select abalance from pgbench_accounts where aid = $1', [account])
  await query('tpcb_3', 'update pgbench_tellers set tbalance = tbalance + $1 where tid = $2', [delta, teller])
  await query('tpcb_4', 'update pgbench_branches set bbalance = bbalance + $1 where bid = $2', [delta, branch])
  await query(
    'tpcb_5',
    'insert into pgbench_history (tid, bid, aid, delta, mtime) values ($1, $2, $3, $4, current_timestamp)',
    [teller, branch, account, delta],
  )
  await client.query('end')
}
