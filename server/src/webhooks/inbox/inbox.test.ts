import assert from 'node:assert/strict'
import { test } from 'node:test'
import { announce, hook } from '../../../test/webhooks.ts'
import { eventually, sharedService } from '../../../test/world.ts'

test('the inbox receives, checks the signature, and shows what came', async (t) => {
  const { app, deps } = await sharedService()
  const url = `${deps.publicUrl()}/inbox/shop`
  const { world, when } = await hook(t, { url })
  await announce(world)
  await when('delivered', ({ status }) => status === 'delivered')
  const page = await app.fastify.inject('/inbox/shop')
  assert.equal(page.statusCode, 200)
  assert.match(page.body, /transfer\.completed/)
  assert.match(page.body, /Signature valid/)
  assert.match(page.headers['content-security-policy'] as string, /script-src 'self';/)
  assert.doesNotMatch(page.body, /<script>|style=|https?:\/\/(?!localhost|127)/)
})

test('the inbox answers with the status and the delay it was told', async (t) => {
  const { app, deps } = await sharedService()
  const { world, when } = await hook(t, { url: `${deps.publicUrl()}/inbox/slow` })
  const told = await app.fastify.inject({
    method: 'POST',
    url: '/inbox/slow/manner',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'status=503&delayMs=120',
  })
  assert.deepEqual([told.statusCode, told.headers.location], [303, '/inbox/slow'])
  await announce(world)
  const delivery = await when('tried', ({ attemptCount }) => attemptCount === 1)
  assert.equal(delivery.attempts[0]!.responseStatus, 503)
  assert(delivery.attempts[0]!.durationMs >= 115)
})

test('a forged delivery is shown as such, and nothing in it becomes markup', async (t) => {
  const { app, deps } = await sharedService()
  await hook(t, { url: `${deps.publicUrl()}/inbox/forged` })
  const timestamp = String(Math.floor(Date.now() / 1000))
  await app.fastify.inject({
    method: 'POST',
    url: '/inbox/forged',
    headers: { 'x-webhook-signature': `sha256=${'0'.repeat(64)}`, 'x-webhook-timestamp': timestamp },
    payload: '<img src=x onerror=alert(1)>',
  })
  const { body } = await app.fastify.inject('/inbox/forged')
  assert.match(body, /Signature wrong/)
  assert.doesNotMatch(body, /<img/)
})

test('what arrives is streamed to the page', async () => {
  const { deps } = await sharedService()
  const stop = new AbortController()
  const stream = await fetch(`${deps.publicUrl()}/inbox/live/stream`, { signal: stop.signal })
  let text = ''
  const reading = (async () => {
    for await (const piece of stream.body!.pipeThrough(new TextDecoderStream())) text += piece
  })().catch(() => undefined)
  await fetch(`${deps.publicUrl()}/inbox/live`, { method: 'POST', body: '{"a":1}' })
  await eventually('streamed', () => text.includes('data-number'))
  stop.abort()
  await reading
})
