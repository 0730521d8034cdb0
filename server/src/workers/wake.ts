import { EventEmitter } from 'node:events'
import pg from 'pg'
import type { Logger } from 'pino'

/** Carries the hint that a worker may find work: in this process at once, to others by a debounced notification. */
export type WakeHub = {
  /** Hints here and elsewhere. */
  wake(worker: string): void
  /** Calls back when a hint for this worker arrives; answers how to stop. */
  onWake(worker: string, callback: () => void): () => void
  /** Hears hints of other processes; until it is called only those of this process are heard. */
  listen(): void
  close(): Promise<void>
}

const CHANNEL = 'kolo_wake'
/** Every worker and the clock: what everybody listens to. */
export const EVERYBODY = '*'
/** Many commits in this time are one notification. */
const DEBOUNCE_MS = 15
const RECONNECT_MS = 500

export function createWakeHub(url: string, log: Logger): WakeHub {
  const emitter = new EventEmitter().setMaxListeners(0)
  const waiting = new Set<string>()
  const connection = keepConnected(url, log, (worker) => emitter.emit(worker))
  let timer: NodeJS.Timeout | undefined

  function tellOthers(): void {
    timer = undefined
    const workers = [...waiting]
    waiting.clear()
    connection.notify(workers)
  }

  return {
    wake(worker) {
      emitter.emit(worker)
      waiting.add(worker)
      timer ??= setTimeout(tellOthers, DEBOUNCE_MS).unref()
    },
    onWake(worker, callback) {
      emitter.on(worker, callback)
      return () => emitter.off(worker, callback)
    },
    listen: connection.listen,
    async close() {
      clearTimeout(timer)
      await connection.close()
    },
  }
}

/** A connection of its own for notifications, made anew whenever it breaks. What is missed meanwhile is found by polling. */
function keepConnected(url: string, log: Logger, onNotice: (payload: string) => void) {
  let client: pg.Client | undefined
  let isClosed = false
  let retry: NodeJS.Timeout | undefined
  let connecting: Promise<void> = Promise.resolve()
  let telling: Promise<unknown> = Promise.resolve()

  async function connect(): Promise<void> {
    const next = new pg.Client({ connectionString: url, application_name: 'kolo-wake', keepAlive: true })
    next.on('notification', ({ payload }) => payload && onNotice(payload))
    next.on('error', (error) => log.debug({ err: error }, 'the notification connection broke'))
    next.on('end', () => {
      // One that never stood is tried again by whoever made it: from both sides each failure would make two new ones.
      if (client !== next) return
      client = undefined
      again()
    })
    await next.connect()
    await next.query(`listen ${CHANNEL}`)
    // Closed while it was being made: nobody else would end it, and a process would not end with it open.
    if (isClosed) return next.end()
    client = next
    return undefined
  }

  function again(): void {
    if (isClosed) return
    retry = setTimeout(start, RECONNECT_MS).unref()
  }

  function start(): void {
    connecting = connect().catch(() => again())
  }

  return {
    listen: start,
    /** One statement for all names, and one at a time: the connection is no queue. */
    notify(names: readonly string[]) {
      const tell = () =>
        client
          ?.query('select pg_notify($1, name) from unnest($2::text[]) name', [CHANNEL, names])
          .catch(() => undefined)
      telling = telling.then(tell)
    },
    async close() {
      isClosed = true
      clearTimeout(retry)
      await connecting
      await client?.end().catch(() => undefined)
    },
  }
}
