import type { Socket } from 'node:net'
import { Client, type Dispatcher } from 'undici'
import { collectBody, type AnswerBody } from './answer.ts'
import { openSocket, type ConnectOptions } from './connection.ts'
import { DeadlinePassed, describeFailure, describeStatus, type Phase } from './failures.ts'

/** What is sent, and where. */
export type Outbound = {
  /** Connections are kept and reused under this name: the endpoint's. */
  readonly lane: string
  readonly url: string
  readonly body: Buffer
  /** Made when the connection stands, so that a signature is as fresh as it can be. */
  readonly headers: () => Promise<Record<string, string>> | Record<string, string>
}

/** How an attempt ended. */
export type Outcome = {
  readonly isDelivered: boolean
  readonly responseStatus: number | null
  readonly responseBody: string | null
  readonly error: string | null
  readonly durationMs: number
}

export type SenderOptions = ConnectOptions & { readonly timeoutMs: number }

export type Sender = { send(outbound: Outbound): Promise<Outcome>; close(): Promise<void> }

/** Our own fault while an attempt was being made: it does not count. */
export class NotSent extends Error {}

/** An idle connection is kept this long, and at most this many of them per endpoint and in all. */
const IDLE_MS = 4_000
const MAX_IDLE_PER_LANE = 10
const MAX_IDLE = 2_000
const MAX_HEADER_BYTES = 16 * 1024

type Connection = { readonly client: Client; isOpen: boolean; isUsed: boolean; onClosed?: () => void }
type Progress = { phase: Phase }

export function createSender(options: SenderOptions): Sender {
  const idle = createIdle()

  async function send(outbound: Outbound): Promise<Outcome> {
    const startedAt = performance.now()
    const url = new URL(outbound.url)
    const progress: Progress = { phase: 'looking up the name' }
    const deadline = new AbortController()
    // What has arrived is read first: an answer in time counts, however busy this process was.
    const timer = setTimeout(() => setImmediate(() => deadline.abort()), options.timeoutMs)
    const durationMs = () => Math.round(performance.now() - startedAt)
    try {
      const { status, body } = await exchange(outbound, url, deadline.signal, progress)
      const isDelivered = status >= 200 && status < 300
      const error = isDelivered ? null : describeStatus(status)
      return { isDelivered, responseStatus: status, responseBody: body, error, durationMs: durationMs() }
    } catch (failure) {
      if (failure instanceof NotSent) throw failure
      const cause = deadline.signal.aborted ? new DeadlinePassed(options.timeoutMs, progress.phase) : failure
      const error = describeFailure(cause, url.host)
      return { isDelivered: false, responseStatus: null, responseBody: null, error, durationMs: durationMs() }
    } finally {
      clearTimeout(timer)
    }
  }

  async function exchange(outbound: Outbound, url: URL, signal: AbortSignal, progress: Progress): Promise<Answer> {
    const key = `${outbound.lane} ${url.origin}`
    const reused = idle.take(key)
    if (reused) {
      try {
        return await over(reused, key, outbound, url, signal, progress)
      } catch (failure) {
        // The other side may close an idle connection just as it is used again. Nothing was answered: a new one is tried.
        if (failure instanceof NotSent || signal.aborted || !(failure instanceof Unanswered)) throw failure
      }
    }
    const socket = await openSocket(url, options, signal, (phase) => (progress.phase = phase))
    return over(connectionOn(socket, url), key, outbound, url, signal, progress)
  }

  async function over(
    connection: Connection,
    key: string,
    outbound: Outbound,
    url: URL,
    signal: AbortSignal,
    progress: Progress,
  ): Promise<Answer> {
    let isReusable = false
    try {
      const headers = await headersOf(outbound)
      progress.phase = 'sending'
      const answer = await request(connection, url, outbound.body, headers, signal, progress)
      isReusable = answer.isWhole
      return answer
    } catch (failure) {
      throw connection.isUsed && isLostConnection(failure) ? new Unanswered(failure) : failure
    } finally {
      connection.isUsed = true
      if (isReusable && connection.isOpen) idle.put(key, connection)
      else void connection.client.destroy().catch(() => undefined)
    }
  }

  return { send, close: idle.close }
}

class Unanswered extends Error {
  constructor(cause: unknown) {
    super('the kept connection was closed', { cause })
  }
}

async function headersOf({ headers }: Outbound): Promise<Record<string, string>> {
  try {
    return await headers()
  } catch (error) {
    throw new NotSent('the request could not be made', { cause: error })
  }
}

function isLostConnection(failure: unknown): boolean {
  const code = (failure as { code?: string }).code ?? ''
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'KOLO_CONNECTION_LOST'].includes(code)
}

/** One connection, one request at a time. Undici gets the socket we made and may not make another. */
function connectionOn(socket: Socket, url: URL): Connection {
  let isGiven = false
  const client = new Client(url.origin, {
    connect: (_options, callback) => {
      const lost = isGiven ? Object.assign(new Error('lost'), { code: 'KOLO_CONNECTION_LOST' }) : null
      isGiven = true
      // Undici takes the socket up only after this call has returned.
      queueMicrotask(() => (lost ? callback(lost, null) : callback(null, socket as never)))
    },
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    allowH2: false,
  })
  const connection: Connection = { client, isOpen: true, isUsed: false }
  client.on('disconnect', () => {
    connection.isOpen = false
    connection.onClosed?.()
  })
  return connection
}

type Answer = { readonly status: number; readonly body: string; readonly isWhole: boolean }

/** Sends one request and reads its answer: the status decides, the body is read to its limit or the deadline. */
function request(
  { client }: Connection,
  url: URL,
  body: Buffer,
  headers: Record<string, string>,
  signal: AbortSignal,
  progress: Progress,
): Promise<Answer> {
  const result = Promise.withResolvers<Answer>()
  let status = 0
  let collected: AnswerBody | undefined
  let isSettled = false
  const settle = (isWhole: boolean) => {
    if (isSettled) return
    isSettled = true
    signal.removeEventListener('abort', abort)
    collected?.finish().then((text) => result.resolve({ status, body: text, isWhole }), result.reject)
  }
  const cut = () => {
    settle(false)
    void client.destroy().catch(() => undefined)
  }
  const abort = () => {
    if (collected) return cut()
    result.reject(new Error('aborted'))
    void client.destroy().catch(() => undefined)
  }
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: () => undefined,
    onRequestSent: () => (progress.phase = 'waiting for headers'),
    onResponseStart: (_controller, code, answered) => {
      if (code < 200) return
      status = code
      collected = collectBody(single(answered['content-encoding']), cut)
    },
    onResponseData: (_controller, piece) => collected?.write(piece),
    onResponseEnd: () => settle(true),
    onResponseError: (_controller, error) => {
      // A body that breaks off after the status is still an answer.
      if (collected) settle(false)
      else result.reject(error)
    },
  }
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  else client.dispatch({ method: 'POST', path: `${url.pathname}${url.search}`, headers, body }, handler)
  return result.promise.finally(() => signal.removeEventListener('abort', abort))
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value
}

/** Connections that wait for their next request, the most recently used first. */
function createIdle() {
  const lanes = new Map<string, Connection[]>()
  let count = 0

  function take(key: string): Connection | undefined {
    const lane = lanes.get(key)
    for (;;) {
      const connection = lane?.pop()
      if (lane?.length === 0) lanes.delete(key)
      if (!connection) return undefined
      count -= 1
      if (connection.isOpen) return connection
    }
  }

  function put(key: string, connection: Connection): void {
    const lane = lanes.get(key)?.filter((one) => one.isOpen) ?? []
    count -= (lanes.get(key)?.length ?? 0) - lane.length
    if (lane.length >= MAX_IDLE_PER_LANE || count >= MAX_IDLE) {
      void connection.client.destroy().catch(() => undefined)
      return
    }
    lane.push(connection)
    lanes.set(key, lane)
    count += 1
    connection.onClosed = () => forget(key, connection)
  }

  function forget(key: string, connection: Connection): void {
    const lane = lanes.get(key)
    const at = lane?.indexOf(connection) ?? -1
    if (!lane || at < 0) return
    lane.splice(at, 1)
    count -= 1
    if (lane.length === 0) lanes.delete(key)
  }

  return {
    take,
    put,
    async close(): Promise<void> {
      const open = [...lanes.values()].flat()
      lanes.clear()
      count = 0
      await Promise.all(open.map((connection) => connection.client.destroy().catch(() => undefined)))
    },
  }
}
