import { createServer, type AddressInfo, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** A server that speaks raw bytes: it can answer with what no HTTP library would. */
export async function createHostile(t: TestContext, onRequest: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  let requests = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    let seen = ''
    socket.on('data', (piece: Buffer) => {
      seen += piece.toString('latin1')
      const [head, body] = seen.split('\r\n\r\n', 2)
      const length = Number(/content-length: (\d+)/i.exec(head ?? '')?.[1] ?? Number.NaN)
      if (body === undefined || body.length < length) return
      seen = ''
      requests += 1
      onRequest(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests: () => requests }
}
