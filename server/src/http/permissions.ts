import type { Role } from '../organizations/schema.ts'

/** The resources a key's scopes are made of. */
export const scopedResources = [
  'customers',
  'virtual-accounts',
  'wallets',
  'transfers',
  'payments',
  'payouts',
  'payout-accounts',
  'webhooks',
  'events',
  'review-items',
  'sandbox',
] as const
export type ScopedResource = (typeof scopedResources)[number]
export type Scope = `${ScopedResource}:${'read' | 'write'}`

/** Who may call an operation: a key with the scope (`any`: every key, null: members only), a member with one of the roles. */
export type Permission = { readonly scope: Scope | 'any' | null; readonly roles: readonly Role[] }

const everyone: readonly Role[] = ['viewer', 'approver', 'developer', 'admin', 'owner']
const builders: readonly Role[] = ['developer', 'admin', 'owner']
const admins: readonly Role[] = ['admin', 'owner']

function reading(resource: ScopedResource): Permission {
  return { scope: `${resource}:read`, roles: everyone }
}

/** What a developer may write. */
function building(resource: ScopedResource): Permission {
  return { scope: `${resource}:write`, roles: builders }
}

/** What moves money or needs an administrator, by key or member. */
function administering(resource: ScopedResource): Permission {
  return { scope: `${resource}:write`, roles: admins }
}

/** One row per operation, by its operationId. A route without a row does not start. */
export const permissions = {
  listWallets: reading('wallets'),
  getWallet: reading('wallets'),
  listWalletEntries: reading('wallets'),
  listRates: reading('wallets'),
  createQuote: administering('wallets'),
  createTransfer: administering('transfers'),
  listTransfers: reading('transfers'),
  getTransfer: reading('transfers'),
  listEvents: reading('events'),
  getEvent: reading('events'),
  getOrganization: { scope: 'any', roles: everyone },
  fundWallet: building('sandbox'),
  getClock: reading('sandbox'),
  advanceClock: building('sandbox'),
} as const satisfies Record<string, Permission>

export type OperationId = keyof typeof permissions

/** Whether the scopes of a key cover one scope; writing includes reading. */
export function covers(held: readonly string[], needed: Scope | 'any'): boolean {
  if (needed === 'any' || held.includes('*')) return true
  return held.includes(needed) || held.includes(needed.replace(/:read$/, ':write'))
}
