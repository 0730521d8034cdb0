import type { BankAccount, VirtualAccountCapability } from '../rail.ts'
import type { SandboxClient } from './client.ts'

export function virtualAccountsOf(
  client: SandboxClient,
  provider: string,
  needsIdentity: boolean,
): VirtualAccountCapability {
  return {
    needsIdentity,
    async open(order) {
      const noticeUrl = await client.connection.noticeUrl(provider)
      if (!noticeUrl) return { state: 'unknown', cause: 'there is no address for notices yet', isUnsent: true }
      return client.ask<{ accounts: readonly BankAccount[] }>('POST', '/virtual-accounts', {
        ...order,
        provider,
        noticeUrl,
      })
    },
    async giveBack({ returnId, transactionReference }) {
      const reply = await client.ask<{ reference: string; returnedAt: string }>('POST', '/virtual-accounts/returns', {
        provider,
        returnId,
        transactionReference,
      })
      if (reply.state === 'unknown') return reply
      if (reply.state === 'refused') return { state: 'rejected', reason: reply.reason }
      const { reference, returnedAt } = reply.value
      return { state: 'completed', railReference: reference, completedAt: new Date(returnedAt) }
    },
  }
}
