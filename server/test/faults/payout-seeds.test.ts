import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { assertAgreement, bringHome, furnish, serving, startWorker } from '../payout-orders.ts'
import { generator, killSeeds } from '../seeds.ts'
import { createWorld } from '../world.ts'

for (const seed of killSeeds()) {
  test(`workers killed at moments of seed ${seed} leave the books in agreement`, async (t) => {
    t.diagnostic(`KOLO_TEST_SEED=${seed}`)
    const world = await createWorld(t, await serving)
    const random = generator(seed)
    await furnish(world, 20)
    for (let kills = 1 + Math.floor(random() * 2); kills > 0; kills -= 1) {
      const worker = await startWorker(world)
      await pause(random() * 400)
      await worker.kill()
    }
    await bringHome(world)
    await assertAgreement(world)
  })
}
