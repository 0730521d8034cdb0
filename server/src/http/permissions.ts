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

/** Everything a key can be given; `*` is all of it. */
export const keyScopes: readonly ('*' | Scope)[] = [
  '*',
  ...scopedResources.flatMap((resource) => [`${resource}:read`, `${resource}:write`] as const),
]

/**
 * Who may call an operation: a key with the scope (`any`: every key, null: members only), a member with one of the
 * roles. What is public needs no credential at all.
 */
export type Permission = {
  readonly scope: Scope | 'any' | null
  readonly roles: readonly Role[]
  readonly isPublic?: true
}

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

/** What only people may do. */
function forMembers(roles: readonly Role[]): Permission {
  return { scope: null, roles }
}

const open: Permission = { scope: 'any', roles: everyone, isPublic: true }

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
  createPayout: administering('payouts'),
  createPayouts: administering('payouts'),
  listPayouts: reading('payouts'),
  getPayout: reading('payouts'),
  approvePayout: { scope: null, roles: ['approver', 'admin', 'owner'] },
  rejectPayout: { scope: null, roles: ['approver', 'admin', 'owner'] },
  cancelPayout: { scope: null, roles: admins },
  completePayout: building('sandbox'),
  failPayout: building('sandbox'),
  returnPayout: building('sandbox'),
  listPayoutProviders: reading('payout-accounts'),
  lookUpPayoutRecipient: reading('payout-accounts'),
  resolvePayoutAccount: administering('payout-accounts'),
  createPayoutAccount: administering('payout-accounts'),
  listPayoutAccounts: reading('payout-accounts'),
  getPayoutAccount: reading('payout-accounts'),
  updatePayoutAccount: administering('payout-accounts'),
  removePayoutAccount: administering('payout-accounts'),
  createCustomer: building('customers'),
  listCustomers: reading('customers'),
  getCustomerByEmail: reading('customers'),
  getCustomer: reading('customers'),
  updateCustomer: building('customers'),
  deactivateCustomer: building('customers'),
  openCustomerVirtualAccount: building('virtual-accounts'),
  listCustomerVirtualAccounts: reading('virtual-accounts'),
  openVirtualAccount: building('virtual-accounts'),
  listVirtualAccounts: reading('virtual-accounts'),
  listVirtualAccountCredits: reading('virtual-accounts'),
  creditVirtualAccount: building('sandbox'),
  createPayment: building('payments'),
  listPayments: reading('payments'),
  getPayment: reading('payments'),
  cancelPayment: building('payments'),
  refreshPaymentLink: building('payments'),
  listPaymentMethods: reading('payments'),
  listSettlements: reading('wallets'),
  getSettlement: reading('wallets'),
  listSettlementPayments: reading('wallets'),
  getSettlementCsv: reading('wallets'),
  listReviewItems: reading('review-items'),
  getReviewItem: reading('review-items'),
  resolveReviewItem: forMembers(admins),
  authorisePayment: building('sandbox'),
  initiatePayment: building('sandbox'),
  executePayment: building('sandbox'),
  settlePayment: building('sandbox'),
  failPayment: building('sandbox'),
  listEvents: reading('events'),
  getEvent: reading('events'),
  login: open,
  refreshSession: open,
  logout: open,
  acceptInvite: open,
  changePassword: forMembers(everyone),
  createWebhookEndpoint: building('webhooks'),
  listWebhookEndpoints: reading('webhooks'),
  getWebhookEndpoint: reading('webhooks'),
  updateWebhookEndpoint: building('webhooks'),
  deleteWebhookEndpoint: building('webhooks'),
  rotateWebhookSecret: building('webhooks'),
  testWebhookEndpoint: building('webhooks'),
  listWebhookDeliveries: reading('webhooks'),
  getWebhookDelivery: reading('webhooks'),
  resendWebhookDelivery: building('webhooks'),
  resendWebhookDeliveries: building('webhooks'),
  getOrganization: { scope: 'any', roles: everyone },
  updateOrganization: forMembers(admins),
  inviteMember: forMembers(admins),
  listMembers: forMembers(everyone),
  changeMemberRole: forMembers(admins),
  removeMember: forMembers(admins),
  createApiKey: forMembers(builders),
  listApiKeys: forMembers(admins),
  revokeApiKey: forMembers(admins),
  listAuditEntries: forMembers(admins),
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

/** What a developer may write, and so hand on to a key. */
const developerWrites: readonly ScopedResource[] = ['customers', 'virtual-accounts', 'payments', 'webhooks', 'sandbox']

/** The scopes a member of a role may give a key: never more than the role itself may do. */
export function scopesToGive(role: Role): readonly string[] {
  if (admins.includes(role)) return keyScopes
  if (role !== 'developer') return []
  return keyScopes.filter(
    (scope) => scope.endsWith(':read') || developerWrites.some((resource) => scope === `${resource}:write`),
  )
}

/** The row of an operation in words, for its description. */
export function describePermission({ scope, roles, isPublic }: Permission): string {
  if (isPublic) return 'Needs no credential.'
  const byKey =
    scope === null ? 'no API key' : scope === 'any' ? 'any API key' : `an API key with the scope \`${scope}\``
  return `Allowed: ${byKey}; members who are ${roles.join(', ')}.`
}
