import type { IdentityCapability } from '../rail.ts'
import type { SandboxClient } from './client.ts'

export function identityOf(client: SandboxClient): IdentityCapability {
  return { verifyBvn: (question) => client.ask<{ matches: boolean }>('POST', '/identity/bvn', question) }
}
