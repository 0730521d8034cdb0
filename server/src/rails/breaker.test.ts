import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ada, createCustomer, GOOD_BVN } from '../../test/customers.ts'
import { behave } from '../../test/simulator.ts'
import { createWorld, eventually, type World } from '../../test/world.ts'
import { createMetrics } from '../metrics.ts'
import { withBreaker } from './breaker.ts'
import type { Reply } from './rail.ts'

type RailState = { rail: string; capability: string; isLeftAlone: boolean }

async function identityState({ service }: World): Promise<RailState | undefined> {
  const answer = await service.app.fastify.inject({ url: '/health/ready' })
  assert.equal(answer.statusCode, 200, 'a silent provider does not make the service unready')
  const { rails } = answer.json<{ checks: { rails: RailState[] } }>().checks
  return rails.find(({ capability }) => capability === 'identity')
}

test('a provider that does not answer is left alone for a while, which metrics and readiness show', async (t) => {
  const world = await createWorld(t)
  const verified = { ...ada, identityType: 'BVN', identityNumber: GOOD_BVN }
  const gauge = async () => {
    const { body } = await world.service.app.fastify.inject({ url: '/metrics' })
    return body
      .split('\n')
      .find((line) => line.startsWith('kolo_rail_breaker_open{rail="sandbox",capability="identity"'))
  }
  assert.equal((await identityState(world))?.isLeftAlone, false)
  await behave(world, 'identity', { isDown: true })
  for (let n = 0; n < 5; n += 1) assert.equal((await world.post('/v1/customers', verified)).statusCode, 502)
  assert.equal((await identityState(world))?.isLeftAlone, true)
  assert.match((await gauge()) ?? '', / 1$/)
  await behave(world, 'identity', {})
  assert.equal((await world.post('/v1/customers', verified)).statusCode, 502, 'it is not even asked')
  await createCustomer(world, { email: 'who@needs.none' })
  await eventually('it is asked again', async () => (await world.post('/v1/customers', verified)).statusCode === 201)
  assert.equal((await identityState(world))?.isLeftAlone, false)
  assert.match((await gauge()) ?? '', / 0$/)
})

function guarded(answer: () => Reply<string>) {
  let calls = 0
  const ask = async (): Promise<Reply<string>> => {
    calls += 1
    return answer()
  }
  const { guarded: functions, breaker } = withBreaker('rail', 'identity', { ask }, createMetrics())
  return { ask: functions.ask, breaker, calls: () => calls }
}

test('an answer or a refusal in between keeps a provider in use, and so does one that says it cannot tell', async () => {
  const silent = { state: 'unknown', cause: 'silence' } as const
  const answers: Reply<string>[] = [silent, silent, silent, silent, { state: 'refused', reason: 'no' }]
  let n = 0
  const one = guarded(() => answers[n++ % answers.length]!)
  for (let asked = 0; asked < 50; asked += 1) await one.ask()
  assert.equal(one.calls(), 50)
  const other = guarded(() => ({ state: 'unknown', cause: 'away', isHeard: true }))
  for (let asked = 0; asked < 50; asked += 1) await other.ask()
  assert.equal(other.calls(), 50)
  assert.equal(other.breaker.isOpen(), false)
})

test('a provider left alone is not asked, and callers are told that nothing was sent', async () => {
  const { ask, breaker, calls } = guarded(() => ({ state: 'unknown', cause: 'silence' }))
  for (let asked = 0; asked < 20; asked += 1) await ask()
  assert.equal(calls(), 5)
  assert.equal(breaker.isOpen(), true)
  const answer = await ask()
  assert.ok(answer.state === 'unknown' && answer.isUnsent)
})
