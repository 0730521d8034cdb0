import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import { findInstitution } from '../payout-providers/operations.ts'
import { findRecipient } from '../payout-recipients/operations.ts'
import type { Institution } from '../rails/rail.ts'
import type { Unresolved } from './destination.ts'

/** A destination whose owner is known. */
export type Resolved = Unresolved & { readonly accountName: string; readonly bankName: string | null }

/** Asks the providers whose account it is. Nothing is written; no transaction may be open. */
export async function resolveDestination(
  deps: Deps,
  organizationId: string,
  destination: Unresolved,
): Promise<Resolved> {
  if (destination.accountType === 'partnerwallet_wallet') return resolveWallet(deps, organizationId, destination)
  const { accounts } = deps.rails.get('accounts')
  const institution = await institutionOf(deps, destination)
  const reply = await accounts.resolve(destination)
  switch (reply.state) {
    case 'answered':
      return { ...destination, accountName: reply.value.accountName, bankName: institution?.name ?? null }
    case 'refused':
      throw new Refusal('account_not_resolved', { param: 'accountNumber' })
    case 'unknown':
      throw new Refusal('verification_provider_unavailable')
  }
}

async function resolveWallet(deps: Deps, organizationId: string, destination: Unresolved): Promise<Resolved> {
  const found = await findRecipient(deps, organizationId, destination.accountNumber)
  if (!found) throw new Refusal('account_not_resolved', { param: 'accountNumber' })
  if (!found.currencies.includes(destination.currency)) throw new Refusal('currency_mismatch', { param: 'currency' })
  return { ...destination, accountName: found.maskedName, bankName: null }
}

/** The bank or operator that is named; one that nobody lists is refused before anybody is asked for the account. */
async function institutionOf(deps: Deps, destination: Unresolved): Promise<Institution | undefined> {
  const { accountType, country, bankCode, institutionId } = destination
  if (accountType === 'partnerwallet_wallet' || (bankCode === null && institutionId === null)) return undefined
  const found = await findInstitution(
    deps,
    country,
    accountType,
    (one) => (bankCode === null || one.bankCode === bankCode) && (institutionId === null || one.id === institutionId),
  )
  if (found === 'unknown') throw new Refusal('verification_provider_unavailable')
  const param = bankCode === null ? 'institutionId' : 'bankCode'
  if (found === 'not_listed')
    throw new Refusal('account_not_resolved', { param, message: `No provider lists this ${param} in ${country}.` })
  return found
}
