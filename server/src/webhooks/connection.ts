import { connect as connectTcp, isIPv6, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { bareHost, isPublicAddress, literalAddress } from './addresses.ts'
import { AddressNotAllowed, type Phase } from './failures.ts'
import type { NameLookup } from './lookup.ts'

export type ConnectOptions = {
  readonly lookup: NameLookup
  /** Only in local may a webhook go to a private address. */
  readonly mayReachPrivate: boolean
}

/** With several addresses, one that does not answer leaves time for the next. */
const ADDRESS_TIMEOUT_MS = 5_000

/**
 * Opens a connection to a URL's host. Every address of the name is vetted here, at connection time, and the connection
 * goes to one of exactly those: what the name says a moment later does not matter.
 */
export async function openSocket(
  url: URL,
  options: ConnectOptions,
  signal: AbortSignal,
  enter: (phase: Phase) => void,
): Promise<Socket> {
  enter('looking up the name')
  const addresses = await allowedAddresses(url.hostname, options, signal)
  enter('connecting')
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  const socket = await connectToAny(addresses, port, signal)
  if (url.protocol !== 'https:') return socket
  enter('in the TLS handshake')
  return secure(socket, bareHost(url.hostname), signal)
}

/** The addresses of a host; refused as a whole when any of them is not allowed. */
export async function allowedAddresses(
  hostname: string,
  { lookup, mayReachPrivate }: ConnectOptions,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const host = bareHost(hostname)
  const literal = literalAddress(hostname)
  const addresses = literal ? [literal] : await unlessAborted(lookup(host), signal)
  const forbidden = mayReachPrivate ? undefined : addresses.find((address) => !isPublicAddress(address))
  if (forbidden !== undefined) throw new AddressNotAllowed(host, forbidden)
  if (addresses.length === 0) throw Object.assign(new Error('no address'), { code: 'ENODATA' })
  return addresses
}

async function connectToAny(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
  let failure: unknown
  for (const [index, address] of addresses.entries()) {
    const isLast = index === addresses.length - 1
    try {
      return await connectTo(address, port, isLast ? undefined : ADDRESS_TIMEOUT_MS, signal)
    } catch (error) {
      if (signal.aborted) throw error
      failure = error
    }
  }
  throw failure
}

function connectTo(host: string, port: number, timeoutMs: number | undefined, signal: AbortSignal): Promise<Socket> {
  const socket = connectTcp({ host, port, family: isIPv6(host) ? 6 : 4, noDelay: true, keepAlive: true })
  const late = () => socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' }))
  const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs)
  return established(socket, 'connect', signal).finally(() => clearTimeout(timer))
}

function secure(socket: Socket, host: string, signal: AbortSignal): Promise<Socket> {
  const tls = connectTls({
    socket,
    host,
    // A literal address has no server name; its certificate must name the address.
    ...(literalAddress(host) ? {} : { servername: host }),
    ALPNProtocols: ['http/1.1'],
    // Said here, so that no environment variable can unsay it.
    rejectUnauthorized: true,
  })
  return established(tls, 'secureConnect', signal)
}

function established(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const abort = () => socket.destroy(new Error('aborted'))
    const done = (error?: Error) => {
      signal.removeEventListener('abort', abort)
      socket.off('error', done).off('close', closed).off(event, connected)
      if (!error) return resolve(socket)
      // Whatever else the socket has to say is no news.
      socket.on('error', () => undefined)
      socket.destroy()
      reject(error)
    }
    const closed = () => done(Object.assign(new Error('closed'), { code: 'ECONNRESET' }))
    const connected = () => done()
    socket.on('error', done).on('close', closed).on(event, connected)
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
  })
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const abort = () => reject(new Error('aborted'))
    signal.addEventListener('abort', abort)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
