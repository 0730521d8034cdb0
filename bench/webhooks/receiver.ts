import { createServer } from 'node:http'
import { createServer as createSilentServer, type AddressInfo } from 'node:net'

// A process of its own, so that receiving takes nothing from sending: one port that answers, one that never does.

let received = 0
let latenciesMs: number[] = []

const server = createServer((request, response) => {
  const pieces: Buffer[] = []
  request.on('data', (piece: Buffer) => pieces.push(piece))
  request.on('end', () => {
    received += 1
    const createdAt = /"createdAt":"([^"]+)"/.exec(Buffer.concat(pieces).toString('latin1'))?.[1]
    if (createdAt) latenciesMs.push(Date.now() - Date.parse(createdAt))
    response.end('ok')
  })
})
server.keepAliveTimeout = 60_000
const silent = createSilentServer((socket) => socket.on('error', () => undefined).resume())

await Promise.all([
  new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4096, resolve)),
  new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', 4096, resolve)),
])
const portOf = (of: { address(): unknown }) => (of.address() as AddressInfo).port
process.send?.({ port: portOf(server), silentPort: portOf(silent) })

process.on('message', () => {
  process.send?.({ received, latenciesMs })
  received = 0
  latenciesMs = []
})
process.on('disconnect', () => process.exit(0))
