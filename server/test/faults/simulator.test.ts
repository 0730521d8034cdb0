import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beginAttempt } from '../../src/payments/payer.ts'
import { askFor, read, visit } from '../payments.ts'
import { startKolo, type KoloProcess } from '../process.ts'
import { createService, type TestService } from '../service.ts'
import { createWorld, eventually } from '../world.ts'

// The provider's book outlives the provider.

function startProvider({ databaseUrl, deps }: TestService): Promise<KoloProcess> {
  return startKolo({ dataDir: deps.config.dataDir, role: 'simulator', env: { DATABASE_URL: databaseUrl } })
}

test('a provider killed while the payer looks at the phone hears the answer after its restart', async (t) => {
  const service = await createService({ roles: ['api', 'worker'], env: { RAIL_TIMEOUT_MS: '30000' } })
  const world = await createWorld(t, service)
  const killed = await startProvider(service)
  const payment = await askFor(world, { sourceCurrency: 'GHS', sourceAmount: 50 })
  const { step } = await beginAttempt(service.deps, await visit(world, payment), {
    methodId: 'mobile_money_ghs',
    phone: '024 412 3456',
    operator: 'MTN',
  })
  assert.equal(step.kind, 'prompt')
  await killed.end('SIGKILL')
  assert.equal((await read(world, payment)).status, 'authorising')
  const again = await startProvider(service)
  await eventually('the payer has paid', async () => {
    const { status } = await read(world, payment)
    return status === 'executed' || status === 'settled'
  })
  await again.end('SIGKILL')
})
