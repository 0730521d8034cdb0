import type { BankAccount, VirtualAccountCapability } from '../rail.ts'
import { instantOf, notUnderstood, understood, type SandboxClient } from './client.ts'
import { readBody } from './notices.ts'

/** Each credit as its notice says it. */
type WiredPage = { readonly credits: readonly object[]; readonly after: string | null; readonly hasMore: boolean }

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
      const wish = { ...order, provider, noticeUrl }
      const reply = await client.ask<{ accounts: readonly BankAccount[] }>('POST', '/virtual-accounts', wish)
      return understood(reply, ({ accounts }) => Array.isArray(accounts) && accounts.length > 0)
    },
    async giveBack({ returnId, transactionReference }) {
      const reply = await client.ask<{ reference: string; returnedAt: string }>('POST', '/virtual-accounts/returns', {
        provider,
        returnId,
        transactionReference,
      })
      if (reply.state === 'unknown') return reply
      if (reply.state === 'refused') return { state: 'rejected', reason: reply.reason }
      const completedAt = instantOf(reply.value.returnedAt)
      if (!completedAt) return notUnderstood('the provider does not say when it was sent back')
      return { state: 'completed', railReference: reply.value.reference, completedAt }
    },
    async creditsSince(cursor, most) {
      const query = new URLSearchParams({ provider, most: String(most), ...(cursor !== null && { after: cursor }) })
      const reply = understood(
        await client.ask<WiredPage>('GET', `/virtual-accounts/credits?${query.toString()}`),
        ({ credits, hasMore }) => Array.isArray(credits) && typeof hasMore === 'boolean',
      )
      if (reply.state !== 'answered') return reply
      const { credits, hasMore, after } = reply.value
      const read = credits.map((credit, index) => {
        const body = JSON.stringify(credit)
        return { body, reading: readBody(body, `${cursor ?? ''}+${index}`) }
      })
      return { state: 'answered', value: { credits: read, cursor: after ?? cursor, hasMore } }
    },
  }
}
