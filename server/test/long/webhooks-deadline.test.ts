import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSender } from '../../src/webhooks/sender.ts'
import { parseConfig } from '../../src/config.ts'
import { createReceiver } from '../receiver.ts'

test('an answer after 29.9 seconds counts, one after 30.1 seconds does not', { timeout: 60_000 }, async (t) => {
  const { webhookTimeoutMs: timeoutMs } = parseConfig({})
  assert.equal(timeoutMs, 30_000)
  const sender = createSender({ lookup: async () => ['127.0.0.1'], mayReachPrivate: true, timeoutMs })
  t.after(() => sender.close())
  const receiver = await createReceiver(t)
  receiver.answer((response, { path }) => void setTimeout(() => response.end(), path === '/early' ? 29_900 : 30_100))
  const post = (path: string) =>
    sender.send({ lane: path, url: `${receiver.url}${path}`, body: Buffer.from('{}'), headers: () => ({}) })
  const [early, late] = await Promise.all([post('/early'), post('/late')])
  assert.deepEqual([early.isDelivered, early.error], [true, null])
  assert.deepEqual([late.isDelivered, late.error], [false, 'Timed out after 30 s while waiting for headers.'])
})
