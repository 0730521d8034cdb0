import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { eventually } from '../../test/world.ts'
import { createNameLookup } from './lookup.ts'

/** A name server that counts what it is asked and says of everything, when told to, that it does not exist. */
async function nameServer(t: TestContext) {
  const socket = createSocket('udp4')
  const waiting: (() => void)[] = []
  socket.on('message', (query, { port, address }) => {
    const answer = Buffer.from(query)
    answer.writeUInt16BE(0x8183, 2)
    waiting.push(() => socket.send(answer, port, address))
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => socket.close())
  return { servers: [`127.0.0.1:${socket.address().port}`], waiting }
}

test('localhost is this machine, and no name server is asked', async (t) => {
  const { servers, waiting } = await nameServer(t)
  const lookup = createNameLookup(servers)
  for (const name of ['localhost', 'LOCALHOST', 'hooks.localhost'])
    assert.deepEqual(await lookup(name), ['127.0.0.1', '::1'])
  assert.equal(waiting.length, 0)
})

test('many who ask for one name at once are one question', async (t) => {
  const { servers, waiting } = await nameServer(t)
  const lookup = createNameLookup(servers)
  const asking = Array.from({ length: 50 }, () =>
    lookup('nobody.invalid').catch((error: { code: string }) => error.code),
  )
  await eventually('both questions arrive', () => waiting.length === 2)
  for (const answer of waiting) answer()
  const codes = await Promise.all(asking)
  assert.equal(new Set(codes).size, 1)
  assert.equal(waiting.length, 2)
})
