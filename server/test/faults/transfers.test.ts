import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FaultPoint } from '../../src/fault-point.ts'
import { createOrganization } from '../../src/organizations/operations.ts'
import { finishKolo, startKolo, type ProcessOptions } from '../process.ts'
import { createService, type TestService } from '../service.ts'
import { checkBooks, createWorld, eventually } from '../world.ts'

// A transfer to another organization is killed at each of its steps, in real processes; whoever comes after finishes it.

type Transfer = { id: string; status: string }

const inTheApi: readonly FaultPoint[] = [
  'transfer.created',
  'transfer.departed',
  'transfer.departure_committed',
  'answer.committed',
]
const inTheWorker: readonly FaultPoint[] = [
  'transfer.delivery_locked',
  'transfer.delivery_announced',
  'transfer.delivered',
  'transfer.delivery_committed',
]

/** An API without workers, so that only the doomed one delivers; and a whole service beside the doomed API. */
let withoutWorkers: Promise<TestService> | undefined
let whole: Promise<TestService> | undefined

/** What a further process of the same deployment is started with: the same database and the same keys. */
function beside({ databaseUrl, deps }: TestService, role: 'api' | 'worker', point?: FaultPoint): ProcessOptions {
  const env = { DATABASE_URL: databaseUrl, ...(point && { KOLO_FAULT_POINT: point }) }
  return { dataDir: deps.config.dataDir, role, env }
}

for (const point of inTheWorker) {
  test(`a worker killed at ${point}: the transfer arrives once, and both are told once`, async (t) => {
    const api = await (withoutWorkers ??= createService({ roles: ['api'] }))
    const [sender, receiver] = [await createWorld(t, api), await createWorld(t, api)]
    await sender.fund('NGN', 100)
    const response = await sender.post('/v1/transfers', {
      reference: 'r',
      sourceCurrency: 'NGN',
      sourceAmount: 60,
      destinationOrganizationId: receiver.organizationId,
    })
    const { id } = response.json<{ data: Transfer }>().data
    const { code } = await finishKolo(['start', '--role', 'worker'], beside(api, 'worker', point))
    assert.equal(code, null, 'it was killed')
    const healthy = await startKolo(beside(api, 'worker'))
    t.after(healthy.kill)
    await eventually('it has arrived', async () => (await receiver.balance('NGN')) === 60, 60_000)
    assert.equal(await sender.balance('NGN'), 40)
    for (const world of [sender, receiver]) {
      const { transfers } = (await world.get('/v1/transfers')).json<{ data: { transfers: Transfer[] } }>().data
      assert.deepEqual(
        transfers.map((transfer) => [transfer.id, transfer.status]),
        [[id, 'completed']],
      )
      const { events } = (await world.get('/v1/events')).json<{ data: { events: { type: string }[] } }>().data
      assert.deepEqual(
        events.map(({ type }) => type),
        ['transfer.completed'],
      )
    }
  })
}

for (const point of inTheApi) {
  test(`an API killed at ${point}: the same request again is one transfer`, async (t) => {
    const service = await (whole ??= createService())
    const receiver = await createWorld(t, service)
    const { organizationId, apiKey } = await createOrganization(service.deps, 'Sender')
    t.after(() => checkBooks(service, organizationId))
    const request = (origin: string, path: string, body: object) =>
      fetch(`${origin}/api${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          'idempotency-key': 'the one',
        },
        body: JSON.stringify(body),
      })
    const transfer = {
      reference: 'r',
      sourceCurrency: 'NGN',
      sourceAmount: 60,
      destinationOrganizationId: receiver.organizationId,
    }
    const doomed = await startKolo(beside(service, 'api', point))
    assert.equal((await request(doomed.origin, '/v1/sandbox/wallets/NGN/fund', { amount: 100 })).status, 202)
    await assert.rejects(request(doomed.origin, '/v1/transfers', transfer))
    await doomed.ended
    const healthy = await startKolo(beside(service, 'api'))
    t.after(healthy.kill)
    const again = await request(healthy.origin, '/v1/transfers', transfer)
    assert.equal(again.status, 201)
    assert.equal(again.headers.get('idempotent-replayed'), point === 'answer.committed' ? 'true' : null)
    await eventually('it has arrived', async () => (await receiver.balance('NGN')) === 60, 60_000)
    const { transfers } = (await receiver.get('/v1/transfers')).json<{ data: { transfers: Transfer[] } }>().data
    assert.equal(transfers.length, 1)
  })
}
