import type { AccountCapability } from '../rail.ts'
import { understood, type SandboxClient } from './client.ts'

export function accountsOf(client: SandboxClient): AccountCapability {
  return {
    async resolve(destination) {
      const reply = await client.ask<{ accountName: string }>('POST', '/accounts/resolve', destination)
      return understood(reply, ({ accountName }) => typeof accountName === 'string' && accountName !== '')
    },
  }
}
