import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** Stands between a service and its PostgreSQL, and breaks what is between them when told. */
export type Proxy = {
  readonly url: string
  /** Where connections lead from now on. */
  leadTo(url: string): void
  /** Lets the next COMMIT through, and cuts the connection before its reply arrives. Answers when that has happened. */
  loseNextCommitReply(): Promise<void>
  close(): Promise<void>
}

const commit = Buffer.from('commit\0')

export async function createProxy(url: string): Promise<Proxy> {
  let target = new URL(url)
  let onLost: (() => void) | undefined
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
      if (onLost && bytes.subarray(-commit.length).equals(commit)) isDoomed = true
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
  const own = new URL(url)
  own.port = String((server.address() as AddressInfo).port)
  return {
    url: own.href,
    leadTo: (next) => (target = new URL(next)),
    loseNextCommitReply: () => new Promise((resolve) => (onLost = resolve)),
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
