import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createService } from '../../test/service.ts'
import { announceMany, hook } from '../../test/webhooks.ts'
import { eventually } from '../../test/world.ts'

test('metrics tell outcomes, durations, endpoints that fail and how long the oldest has been due', async (t) => {
  const service = await createService()
  const value = async (line: string) => {
    const text = (await service.app.fastify.inject('/metrics')).body
    const found = text.split('\n').find((one) => one.startsWith(`${line} `))
    return found === undefined ? undefined : Number(found.slice(line.length + 1))
  }
  const good = await hook(t, {}, { service })
  const bad = await hook(t, {}, { service })
  bad.receiver.answer(500)
  const gone = await hook(t, { url: 'http://127.0.0.1:1/' }, { service })
  await announceMany(service, good.world.organizationId, 3)
  await announceMany(service, bad.world.organizationId, 2)
  await announceMany(service, gone.world.organizationId, 1)
  await eventually('all are recorded', async () => {
    const [delivered, retried] = await Promise.all(
      ['delivered', 'pending'].map((status) => value(`kolo_webhook_deliveries_total{status="${status}"}`)),
    )
    return delivered === 3 && retried === 3
  })
  for (const [outcome, count] of [
    ['delivered', 3],
    ['refused', 2],
    ['no_answer', 1],
  ] as const) {
    assert.equal(await value(`kolo_webhook_attempts_total{outcome="${outcome}"}`), count)
    assert.equal(await value(`kolo_webhook_attempt_seconds_count{outcome="${outcome}"}`), count)
    assert((await value(`kolo_webhook_attempt_seconds_sum{outcome="${outcome}"}`))! < 60)
  }
  await eventually('two fail', async () => (await value('kolo_webhook_endpoints_failing')) === 2, 20_000)
  assert.equal(await value('kolo_webhook_oldest_due_seconds'), 0)

  // Ten hang, and the eleventh stays due behind them.
  good.receiver.answer(() => undefined)
  await announceMany(service, good.world.organizationId, 11)
  await eventually('ten are under way', () => good.receiver.received.length === 13)
  await eventually('one waits', async () => (await value('kolo_webhook_oldest_due_seconds'))! > 1, 20_000)
})
