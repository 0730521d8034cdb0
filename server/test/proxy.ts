import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** Stands between a service and its PostgreSQL, and breaks what is between them when told. */
export type Proxy = {
  readonly url: string
  /** Where connections lead from now on. */
  leadTo(url: string): void
  /** Lets the next COMMIT through, and cuts the connection before its reply arrives. Answers when that has happened. */
  loseNextCommitReply(): Promise<void>
  /** The same with the next COMMIT of a transaction that has run this prepared statement. */
  loseCommitAfter(statement: { readonly name: string }): Promise<void>
  /** The same with the next reply to a prepared statement. */
  loseNextReplyTo(statement: { readonly name: string }): Promise<void>
  /** Cuts every connection. Those made from now on lead nowhere until `leadTo` says where. */
  cut(): void
  close(): Promise<void>
}

const commit = Buffer.from('commit\0')

function isCommit(bytes: Buffer): boolean {
  return bytes.subarray(-commit.length).equals(commit)
}

/** A port nobody listens at. */
const nowhere = new URL('postgres://127.0.0.1:1')

export async function createProxy(url: string): Promise<Proxy> {
  let target = new URL(url)
  let onLost: (() => void) | undefined
  let isLost = (_bytes: Buffer, _client: Socket): boolean => false
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    let isDoomed = false
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', (bytes: Buffer) => {
      if (onLost && isLost(bytes, client)) isDoomed = true
      upstream.write(bytes)
    })
    upstream.on('data', (bytes: Buffer) => {
      if (!isDoomed) return client.write(bytes)
      client.destroy()
      onLost?.()
      onLost = undefined
      return undefined
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const loseNext = (next: typeof isLost) => {
    isLost = next
    return new Promise<void>((resolve) => (onLost = resolve))
  }
  const own = new URL(url)
  own.port = String((server.address() as AddressInfo).port)
  return {
    url: own.href,
    leadTo: (next) => (target = new URL(next)),
    loseNextCommitReply: () => loseNext(isCommit),
    loseCommitAfter({ name }) {
      const ran = new Set<Socket>()
      return loseNext((bytes, client) => {
        if (bytes.includes(`${name}\0`)) ran.add(client)
        return ran.has(client) && isCommit(bytes)
      })
    },
    loseNextReplyTo: ({ name }) => loseNext((bytes) => bytes.includes(`${name}\0`)),
    cut() {
      target = nowhere
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
