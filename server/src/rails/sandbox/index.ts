import type { Rail } from '../rail.ts'
import { accountsOf } from './accounts.ts'
import { createClient, type SandboxConnection } from './client.ts'
import { collectionsOf } from './collections.ts'
import { directoryOf } from './directory.ts'
import { readNotice } from './notices.ts'
import { payoutsOf } from './payouts.ts'
import { partnerWalletOf } from './partner-wallet.ts'
import { identityOf } from './identity.ts'
import { virtualAccountsOf } from './virtual-accounts.ts'

/** The rails of local and sandbox: one provider for virtual accounts of each kind, one for everything else. */
export function sandboxRails(connection: SandboxConnection): readonly Rail[] {
  const client = createClient(connection)
  const reads = { readNotice: readNotice(client.connection.secret) }
  return [
    { name: 'providerA', ...reads, virtualAccounts: virtualAccountsOf(client, 'providerA', true) },
    { name: 'providerB', ...reads, virtualAccounts: virtualAccountsOf(client, 'providerB', false) },
    {
      name: 'sandbox',
      ...reads,
      identity: identityOf(client),
      collections: collectionsOf(client, 'sandbox'),
      payouts: payoutsOf(client, 'sandbox'),
      accounts: accountsOf(client),
      directory: directoryOf(client),
      partnerWallet: partnerWalletOf(client),
    },
  ]
}
