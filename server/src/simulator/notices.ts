import { createHmac, randomUUID } from 'node:crypto'
import { request } from 'undici'
import type { Behaviours } from './behaviour.ts'
import type { Book } from './book.ts'

/** Tells the other side what happened, signed, again and again until it answers 200. */
export type Announcer = {
  /** Announces after a while of wall-clock time; inside a transaction of the book where its `query` is given. */
  announce(
    url: string,
    event: string,
    facts: object,
    options?: { readonly afterMs?: number; readonly query?: Book['query'] },
  ): Promise<void>
  close(): Promise<void>
}

const POLL_MS = 50
const BATCH = 100
const SEND_TIMEOUT_MS = 5_000
const RETRY_MS = 1_000
/** Every so many notices one is sent twice, as providers do. */
const EVERY_NTH_TWICE = 5

type Due = { id: string; url: string; body: string; copies: number }

export function createAnnouncer(book: Book, secret: string, behaviours: Behaviours): Announcer {
  let isClosing = false
  let count = 0
  let wake: (() => void) | undefined

  async function run(): Promise<void> {
    while (!isClosing) {
      const sent = await sendDue().catch(() => 0)
      if (sent === 0) await idle()
    }
  }

  function idle(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, POLL_MS)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async function sendDue(): Promise<number> {
    const due = await book.query<Due>(
      `update simulator.notices
          set tries = tries + 1, due_at = clock_timestamp() + make_interval(secs => least(60, tries + 1) * $2::double precision / 1000)
        where id in (select id from simulator.notices where sent_at is null and due_at <= clock_timestamp()
                      order by due_at limit $1 for update skip locked)
       returning id, url, body, copies`,
      [BATCH, RETRY_MS],
    )
    await Promise.all(due.map(send))
    return due.length
  }

  async function send({ id, url, body, copies }: Due): Promise<void> {
    const { losesNotices } = await behaviours.of('notices')
    const accepted =
      losesNotices || (await Promise.all(Array.from({ length: copies }, () => post(url, body)))).every(Boolean)
    if (accepted) await book.query('update simulator.notices set sent_at = clock_timestamp() where id = $1', [id])
  }

  async function post(url: string, body: string): Promise<boolean> {
    const timestamp = String(Math.floor((performance.timeOrigin + performance.now()) / 1000))
    const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
    try {
      const answer = await request(url, {
        method: 'POST',
        body,
        signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
        headers: {
          'content-type': 'application/json',
          'x-provider-timestamp': timestamp,
          'x-provider-signature': signature,
        },
      })
      await answer.body.dump()
      return answer.statusCode === 200
    } catch {
      return false
    }
  }

  const running = run()
  return {
    async announce(url, event, facts, { afterMs = 0, query = book.query } = {}) {
      const id = randomUUID()
      count += 1
      await query(
        `insert into simulator.notices (id, url, body, due_at, copies)
         values ($1, $2, $3, clock_timestamp() + make_interval(secs => $4::double precision / 1000), $5)`,
        [id, url, JSON.stringify({ id, event, ...facts }), afterMs, count % EVERY_NTH_TWICE === 0 ? 2 : 1],
      )
      wake?.()
    },
    async close() {
      isClosing = true
      wake?.()
      await running
    },
  }
}
