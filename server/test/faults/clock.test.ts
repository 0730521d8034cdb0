import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startKolo } from '../process.ts'
import { createService, type TestService } from '../service.ts'
import { MASTER_KEY } from '../webhooks.ts'
import { createWorld, eventually } from '../world.ts'

/** Nobody is given up here, however busy the machine is. */
const env = { KOLO_MASTER_KEY: MASTER_KEY, KOLO_WORKER_SILENCE_MS: '60000' }
/** Moves of each process; one that finds the clock busy tries again. */
const TURNS = 6

test('two processes that move the clock by turns never see it go back', async (t) => {
  const one = await createService({ roles: ['api'], env })
  const other = await createService({ roles: ['api', 'worker'], databaseUrl: one.databaseUrl, env })
  const { apiKey } = await createWorld(t, one)
  const goneBackMs: number[] = []
  let isDone = false

  async function watch({ deps }: TestService): Promise<void> {
    for (let last = deps.now(); !isDone; last = deps.now()) {
      await new Promise((resolve) => setImmediate(resolve))
      if (deps.now() < last) goneBackMs.push(last.getTime() - deps.now().getTime())
    }
  }

  async function move({ app }: TestService): Promise<void> {
    for (let moves = 0; moves < TURNS;) {
      const headers = { authorization: `Bearer ${apiKey}` }
      const url = '/api/v1/sandbox/clock/advance'
      const answer = await app.fastify.inject({ method: 'POST', url, headers, payload: { seconds: 3_600 } })
      if (answer.statusCode === 200) moves += 1
      else assert.equal(answer.json<{ error: { code: string } }>().error.code, 'clock_busy')
    }
  }

  const watching = [one, other].map(watch)
  await Promise.all([one, other].map(move))
  isDone = true
  await Promise.all(watching)
  assert.deepEqual(goneBackMs, [])
})

test('a process that is told to end in the middle of moving the clock leaves it where it was to go, and running', async (t) => {
  // Nobody works: what is due stays due, and a move waits for it.
  const service = await createService({ roles: ['api'], env })
  const [world, receiver] = [await createWorld(t, service), await createWorld(t, service)]
  const mover = await startKolo({
    dataDir: service.deps.config.dataDir,
    role: 'api',
    env: { ...env, DATABASE_URL: service.databaseUrl, KOLO_DRAIN_MS: '500' },
  })
  await world.fund('NGN', 100)
  const gift = {
    reference: 'gift',
    sourceCurrency: 'NGN',
    sourceAmount: 60,
    destinationOrganizationId: receiver.organizationId,
  }
  assert.equal((await world.post('/v1/transfers', gift)).statusCode, 201)
  const began = service.deps.now()
  const moving = fetch(`${mover.origin}/api/v1/sandbox/clock/advance`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ seconds: 3_600 }),
  }).catch(() => undefined)
  await eventually('the clock stands', () => service.deps.clock.setting().frozenAt !== null, 60_000)
  await mover.end('SIGTERM')
  await moving
  await eventually('the clock runs again', () => service.deps.clock.setting().frozenAt === null, 60_000)
  assert(service.deps.now().getTime() - began.getTime() >= 3_600_000)
})
