import { addAccounts } from './accounts.ts'
import { addCollections } from './collections.ts'
import { addDirectory } from './directory.ts'
import { addIdentity } from './identity.ts'
import type { Part } from './part.ts'
import { addPayouts } from './payouts.ts'
import { addPartnerWallet } from './partner-wallet.ts'
import { addVirtualAccounts } from './virtual-accounts.ts'

/** The provider's parts, by capability. Each adds its routes. */
export const parts: Readonly<Record<string, (part: Part) => void>> = {
  identity: addIdentity,
  virtualAccounts: addVirtualAccounts,
  collections: addCollections,
  payouts: addPayouts,
  directory: addDirectory,
  accounts: addAccounts,
  partnerWallet: addPartnerWallet,
}
