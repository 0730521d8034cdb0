import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { eventually } from '../../test/world.ts'
import { createLog } from '../log.ts'
import { createWakeHub } from './wake.ts'

test('while the database refuses, one connection is tried at a time', async () => {
  let tried = 0
  const server = createServer((socket) => {
    tried += 1
    socket.on('error', () => undefined).destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const hub = createWakeHub(`postgres://kolo@127.0.0.1:${port}/kolo`, createLog('fatal'))
  const beganMs = performance.now()
  hub.listen()
  await eventually('it has been refused for a while', () => tried >= 5 || performance.now() - beganMs > 10_000)
  const elapsedMs = performance.now() - beganMs
  await hub.close()
  server.close()
  // One, and then one each half second: doubled each time, the fifth would come within one and a half.
  assert(tried <= 1 + elapsedMs / 450, `${tried} in ${elapsedMs} ms`)
})
