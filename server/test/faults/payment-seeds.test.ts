import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { assertAgreement, bringHome, furnish, kinds, LONG_SECONDS, serving, start } from '../payment-fates.ts'
import { generator, killSeeds } from '../seeds.ts'
import { createWorld } from '../world.ts'

for (const seed of killSeeds()) {
  test(`workers killed at moments of seed ${seed} leave every payment where it belongs`, async (t) => {
    t.diagnostic(`KOLO_TEST_SEED=${seed}`)
    const world = await createWorld(t, await serving)
    const random = generator(seed)
    const fated = await furnish(world, 2 * kinds.length)
    const moving = world.advance(LONG_SECONDS)
    for (let kills = 1 + Math.floor(random() * 2); kills > 0; kills -= 1) {
      const worker = await start(world, 'worker')
      await pause(random() * 600)
      await worker.kill()
    }
    await bringHome(world, fated, moving)
    await assertAgreement(world, fated)
  })
}
