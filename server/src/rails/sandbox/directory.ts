import { isCurrency, type Currency } from '../../money/currencies.ts'
import type { DirectoryCapability, Institution } from '../rail.ts'
import { understood, type SandboxClient } from './client.ts'

type Wire = { institutions: (Omit<Institution, 'currency'> & { currency: string })[] }

export function directoryOf(client: SandboxClient): DirectoryCapability {
  return {
    async institutions(country, type) {
      const path = `/institutions?country=${encodeURIComponent(country)}&type=${type}`
      const reply = understood(await client.ask<Wire>('GET', path), ({ institutions }) => Array.isArray(institutions))
      if (reply.state !== 'answered') return reply
      // A currency this service does not know cannot be paid out in, so its institutions are not listed.
      const known = reply.value.institutions.filter(({ currency }) => isCurrency(currency))
      return { state: 'answered', value: known.map((one) => ({ ...one, currency: one.currency as Currency })) }
    },
  }
}
