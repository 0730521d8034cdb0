import type { Api } from '../app.ts'
import { ById, refusing } from '../http/schemas.ts'
import {
  listCredits,
  listForCustomer,
  listForOrganization,
  openForCustomer,
  openForOrganization,
} from './operations.ts'
import { creditVirtualAccount } from './sandbox.ts'
import {
  ByAccountNumber,
  CreditPage,
  CreditQuery,
  Opening,
  SandboxCredit,
  SandboxCreditBody,
  VirtualAccountBody,
  VirtualAccountList,
} from './schema.ts'

const providerRefusals = ['no_rail', 'virtual_account_refused', 'virtual_account_provider_unavailable'] as const

export function virtualAccountRoutes(app: Api): void {
  app.post('/v1/customers/:id/virtual-accounts', {
    // The provider is asked before the account is written.
    config: { idempotency: 'claimed' },
    schema: {
      operationId: 'openCustomerVirtualAccount',
      summary: 'Open a virtual account for a customer',
      description: 'Answers 200 with the existing account when the customer has one at that provider.',
      tags: ['Virtual accounts'],
      params: ById,
      body: Opening,
      response: {
        200: VirtualAccountBody,
        201: VirtualAccountBody,
        ...refusing('not_found', 'customer_inactive', 'identity_required', ...providerRefusals),
      },
    },
    handler: async ({ deps, organizationId, params, body }, reply) => {
      const { account, isNew } = await openForCustomer(deps, organizationId, params.id, body.provider)
      if (!isNew) void reply.code(200)
      return { data: account }
    },
  })

  app.get('/v1/customers/:id/virtual-accounts', {
    schema: {
      operationId: 'listCustomerVirtualAccounts',
      summary: "List a customer's virtual accounts",
      tags: ['Virtual accounts'],
      params: ById,
      response: { 200: VirtualAccountList, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, params }) => ({
      data: await listForCustomer(deps, organizationId, params.id),
    }),
  })

  app.post('/v1/virtual-accounts', {
    config: { idempotency: 'claimed' },
    schema: {
      operationId: 'openVirtualAccount',
      summary: 'Open a virtual account for the organization itself',
      description: 'Answers 200 with the existing account when the organization has one at that provider.',
      tags: ['Virtual accounts'],
      body: Opening,
      response: { 200: VirtualAccountBody, 201: VirtualAccountBody, ...refusing(...providerRefusals) },
    },
    handler: async ({ deps, organizationId, body }, reply) => {
      const { account, isNew } = await openForOrganization(deps, organizationId, body.provider)
      if (!isNew) void reply.code(200)
      return { data: account }
    },
  })

  app.get('/v1/virtual-accounts', {
    schema: {
      operationId: 'listVirtualAccounts',
      summary: "List the organization's own virtual accounts",
      tags: ['Virtual accounts'],
      response: { 200: VirtualAccountList, ...refusing() },
    },
    handler: async ({ deps, organizationId }) => ({ data: await listForOrganization(deps, organizationId) }),
  })

  app.get('/v1/virtual-accounts/:id/credits', {
    schema: {
      operationId: 'listVirtualAccountCredits',
      summary: 'List what arrived in a virtual account',
      tags: ['Virtual accounts'],
      params: ById,
      querystring: CreditQuery,
      response: { 200: CreditPage, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, params, query }) => ({
      data: await listCredits(deps, organizationId, params.id, query),
    }),
  })
}

/** In local and sandbox the outside world can be told to pay. */
export function virtualAccountSandboxRoutes(app: Api): void {
  app.post('/v1/sandbox/virtual-accounts/:accountNumber/credits', {
    config: { idempotency: 'none' },
    schema: {
      operationId: 'creditVirtualAccount',
      summary: 'Let somebody pay into a virtual account',
      description:
        'Answers once the built-in provider has taken the command; the credit follows by its notice. A transactionReference given again is the same transfer, told again.',
      tags: ['Sandbox'],
      params: ByAccountNumber,
      body: SandboxCredit,
      response: { 202: SandboxCreditBody, ...refusing('not_found', 'sandbox_refused', 'sandbox_provider_unavailable') },
    },
    handler: async ({ deps, organizationId, params, body }) => ({
      data: await creditVirtualAccount(deps, organizationId, params.accountNumber, body),
    }),
  })
}
