import { isCurrency } from '../../money/currencies.ts'
import type { PartnerWalletCapability } from '../rail.ts'
import { understood, type SandboxClient } from './client.ts'

export function partnerWalletOf(client: SandboxClient): PartnerWalletCapability {
  return {
    async find(publicId) {
      const path = `/partner-wallet/users/${encodeURIComponent(publicId)}`
      const reply = understood(
        await client.ask<{ maskedName: string; currencies: string[] }>('GET', path),
        ({ maskedName, currencies }) => typeof maskedName === 'string' && Array.isArray(currencies),
      )
      if (reply.state === 'refused' && reply.reason === 'no_such_user') return { state: 'answered', value: null }
      if (reply.state !== 'answered') return reply
      const { maskedName, currencies } = reply.value
      return { state: 'answered', value: { maskedName, currencies: currencies.filter(isCurrency) } }
    },
  }
}
