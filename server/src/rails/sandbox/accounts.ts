import type { AccountCapability } from '../rail.ts'
import type { SandboxClient } from './client.ts'

export function accountsOf(client: SandboxClient): AccountCapability {
  return { resolve: (destination) => client.ask<{ accountName: string }>('POST', '/accounts/resolve', destination) }
}
