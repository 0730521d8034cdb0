import { statement } from '../src/db/sql.ts'
import type { World } from './world.ts'

type Behaviour = { slowMs?: number; isDown?: boolean; losesNotices?: boolean }

/** How the built-in provider behaves from now on, for one capability or for `all`; `{}` is as usual. */
export async function behave({ service }: World, capability: string, settings: Behaviour): Promise<void> {
  await service.deps.db.transaction((tx) =>
    tx.many(
      statement(`insert into simulator.behaviour (capability, settings) values ($1, $2)
                 on conflict (capability) do update set settings = excluded.settings`),
      [capability, JSON.stringify(settings)],
    ),
  )
}
