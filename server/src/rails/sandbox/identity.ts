import type { IdentityCapability } from '../rail.ts'
import { understood, type SandboxClient } from './client.ts'

export function identityOf(client: SandboxClient): IdentityCapability {
  return {
    async verifyBvn(question) {
      const reply = await client.ask<{ matches: boolean }>('POST', '/identity/bvn', question)
      return understood(reply, ({ matches }) => typeof matches === 'boolean')
    },
  }
}
