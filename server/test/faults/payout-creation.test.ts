import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FaultPoint } from '../../src/fault-point.ts'
import { account, reference, wallet } from '../payouts.ts'
import { startKolo } from '../process.ts'
import { createService } from '../service.ts'
import { createWorld, eventually, type World } from '../world.ts'

// The API is killed while it makes payouts, several of one moment in one transaction: all of them are made or none is,
// and what a client tries again ends once.

const service = createService({ roles: ['api', 'simulator'] })
const points: readonly FaultPoint[] = ['payout.created', 'payout.held', 'payout.creation_committed', 'answer.committed']
const AT_ONCE = 8

for (const point of points) {
  test(`an API killed at ${point} has made payouts with everything, or none`, async (t) => {
    const world = await createWorld(t, await service)
    await world.fund('NGN', 100_000)
    const { id } = await account(world)
    const { databaseUrl, deps } = await service
    const doomed = await startKolo({
      dataDir: deps.config.dataDir,
      role: 'api',
      env: { DATABASE_URL: databaseUrl, KOLO_FAULT_POINT: point },
    })
    // Only a request with a key passes the last point.
    const isKeyed = point === 'answer.committed'
    const requests = Array.from({ length: AT_ONCE }, () => {
      const body = JSON.stringify({ reference: reference(), payoutAccountId: id, sourceAmount: 100 })
      const headers: Record<string, string> = isKeyed ? { 'idempotency-key': body } : {}
      return { body, headers }
    })
    const authorization = `Bearer ${world.apiKey}`
    const sent = requests.map(({ body, headers }) =>
      fetch(`${doomed.origin}/api/v1/payouts`, {
        method: 'POST',
        body,
        headers: { authorization, 'content-type': 'application/json', ...headers },
      }).then(
        ({ status }) => status,
        () => 'nothing was answered',
      ),
    )
    const heard = await Promise.all(sent)
    await doomed.ended
    assert(heard.every((answer) => answer === 'nothing was answered'))
    const again = await Promise.all(requests.map(({ body, headers }) => tryAgain(world, body, headers)))
    const expected = isKeyed ? [201] : [201, 409]
    for (const { statusCode, body } of again) assert(expected.includes(statusCode), body)
    assert.deepEqual(await wallet(world), { balance: 100_000 - AT_ONCE * 100.5, heldBalance: AT_ONCE * 100.5 })
    const { payouts } = (await world.get('/v1/payouts')).json<{ data: { payouts: unknown[] } }>().data
    assert.equal(payouts.length, AT_ONCE)
  })
}

/** Until the database has noticed that whoever held the key is gone. */
async function tryAgain(world: World, body: string, headers: Record<string, string>) {
  let response = await world.post('/v1/payouts', body, headers)
  await eventually('the key is free', async () => {
    if (!response.body.includes('idempotency_key_in_use')) return true
    response = await world.post('/v1/payouts', body, headers)
    return false
  })
  return response
}
