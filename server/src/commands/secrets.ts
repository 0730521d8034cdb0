import type { Deps } from '../deps.ts'
import { resealIdentities } from '../customers/operations.ts'
import { resealAnswers } from '../http/idempotency.ts'
import { resealEndpoints } from '../webhooks/operations.ts'
import { say } from './output.ts'
import { withCore } from './with-core.ts'

/** Seals again what is sealed under older keys, at most so many rows at once; answers how many it found. */
type Reseal = (deps: Deps, most: number) => Promise<number>

const BATCH = 500

/** Everything that is kept encrypted, by what it is called. */
const kept: Readonly<Record<string, Reseal>> = {
  'webhook endpoints': resealEndpoints,
  'customer identities': resealIdentities,
  'kept answers': resealAnswers,
}

/**
 * kolo secrets rotate: after it the older keys of KOLO_MASTER_KEY open nothing any more. For a day they still tell which
 * request an Idempotency-Key belongs to; then they can be taken out.
 */
export async function secretsRotate(): Promise<void> {
  await withCore(async ({ deps }) => {
    for (const [name, reseal] of Object.entries(kept)) {
      let total = 0
      for (let found = BATCH; found === BATCH; total += found) found = await reseal(deps, BATCH)
      say(`${name}: ${total} sealed again under the key "${deps.secrets.keyId}"`)
    }
  })
}
