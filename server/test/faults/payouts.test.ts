import { test } from 'node:test'
import type { FaultPoint } from '../../src/fault-point.ts'
import { assertAgreement, bringHome, furnish, serving, startWorker } from '../payout-orders.ts'
import { createWorld } from '../world.ts'

const points: readonly FaultPoint[] = [
  'payout.claimed',
  'payout.announced',
  'payout.processing_committed',
  'payout.answered',
  'payout.recorded',
  'payout.record_committed',
]

for (const point of points) {
  test(`a worker that dies at ${point} neither loses a payout nor sends it twice`, async (t) => {
    const world = await createWorld(t, await serving)
    await furnish(world, 10)
    const worker = await startWorker(world, { KOLO_FAULT_POINT: point })
    await worker.ended
    await bringHome(world)
    await assertAgreement(world)
  })
}
