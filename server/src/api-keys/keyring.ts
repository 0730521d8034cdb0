import type { Deps } from '../deps.ts'
import { Refusal, type RefusalCode } from '../errors.ts'
import { createBriefMemory } from '../http/brief-memory.ts'
import { faultOfApiKey, hashApiKey } from './api-key.ts'
import * as store from './store.ts'

export type { KeyHolder } from './store.ts'

/** Knows API keys: whose a key is, and when it was last used. */
export type Keyring = { holderOf(key: string): Promise<store.KeyHolder> }

/** How often a process writes down the use of one key. */
const NOTED_EVERY_MS = 60_000

export function createKeyring(deps: Deps): Keyring {
  const notedAt = new Map<string, number>()
  const recall = createBriefMemory(deps, async (key) => {
    const fault = faultOfApiKey(key, deps.config.env)
    if (fault)
      throw unauthenticated(fault === 'other_environment' ? 'credential_of_other_environment' : 'credential_invalid')
    return store.findKeyHolder(deps.db, hashApiKey(key))
  })

  async function noteUse({ organizationId, apiKeyId }: store.KeyHolder): Promise<void> {
    const at = deps.now()
    if (at.getTime() - (notedAt.get(apiKeyId) ?? 0) < NOTED_EVERY_MS) return
    notedAt.set(apiKeyId, at.getTime())
    await deps.db.transaction((tx) => store.touchApiKey(tx, organizationId, apiKeyId, at))
  }

  return {
    async holderOf(key) {
      const holder = await recall(key)
      if (!holder) throw unauthenticated('credential_invalid')
      if (holder.revokedAt) throw unauthenticated('credential_revoked')
      if (holder.expiresAt && holder.expiresAt <= deps.now()) throw unauthenticated('credential_expired')
      // The caller does not wait for this, and does not fail by it.
      noteUse(holder).catch((error: unknown) => deps.log.warn({ err: error }, 'the use of a key was not noted'))
      return holder
    },
  }
}

/** A 401 with the challenge HTTP asks for. */
export function unauthenticated(code: RefusalCode): Refusal {
  return new Refusal(code, { headers: { 'www-authenticate': 'Bearer' } })
}
