import { unauthenticated } from '../api-keys/keyring.ts'
import type { Deps } from '../deps.ts'
import { createBriefMemory } from '../http/brief-memory.ts'
import * as store from './store.ts'

/** Knows who is signed in. */
export type Sessions = { holderOf(token: string): Promise<store.SignedInMember & { sessionId: string }> }

/** A token is as good as its session, and may do what the member may do now. */
export function createSessions(deps: Deps): Sessions {
  const recall = createBriefMemory(deps, (key) => {
    const [organizationId, sessionId] = key.split('/') as [string, string]
    return store.findSignedIn(deps.db, organizationId, sessionId)
  })
  return {
    async holderOf(token) {
      const { organizationId, memberId, sessionId } = await deps.tokens.read(token)
      const member = await recall(`${organizationId}/${sessionId}`)
      if (member?.id !== memberId) throw unauthenticated('credential_revoked')
      return { ...member, sessionId }
    },
  }
}
