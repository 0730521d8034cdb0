import type { Api } from '../app.ts'
import { ById, refusing } from '../http/schemas.ts'
import {
  createPayoutAccount,
  getPayoutAccount,
  listPayoutAccounts,
  removePayoutAccount,
  resolvePayoutAccount,
  updatePayoutAccount,
} from './operations.ts'
import {
  NewPayoutAccount,
  PayoutAccountBody,
  PayoutAccountChange,
  PayoutAccountPage,
  PayoutAccountQuery,
  ResolvedAccountBody,
  ResolveRequest,
} from './schema.ts'

const tags = ['Payout accounts']
const resolving = ['account_not_resolved', 'no_rail', 'verification_provider_unavailable'] as const
const savingWallets = ['currency_mismatch', 'lookup_limit_reached'] as const

export function payoutAccountRoutes(app: Api): void {
  app.post('/v1/payout-accounts/resolve', {
    config: { idempotency: 'claimed' },
    schema: {
      operationId: 'resolvePayoutAccount',
      summary: 'Verify a destination and learn its account name',
      tags,
      body: ResolveRequest,
      response: { 200: ResolvedAccountBody, ...refusing(...resolving) },
    },
    handler: async ({ deps, organizationId, body }) => ({
      data: await resolvePayoutAccount(deps, organizationId, body),
    }),
  })

  app.post('/v1/payout-accounts', {
    config: { idempotency: 'claimed' },
    schema: {
      operationId: 'createPayoutAccount',
      summary: 'Save a beneficiary',
      description:
        'The destination is resolved first. The same destination again answers 200 with the existing record.',
      tags,
      body: NewPayoutAccount,
      response: { 200: PayoutAccountBody, 201: PayoutAccountBody, ...refusing(...resolving, ...savingWallets) },
    },
    handler: async ({ deps, organizationId, body }, reply) => {
      const { account, isNew } = await createPayoutAccount(deps, organizationId, body)
      void reply.code(isNew ? 201 : 200)
      return { data: account }
    },
  })

  app.get('/v1/payout-accounts', {
    schema: {
      operationId: 'listPayoutAccounts',
      summary: 'List beneficiaries',
      tags,
      querystring: PayoutAccountQuery,
      response: { 200: PayoutAccountPage, ...refusing() },
    },
    handler: async ({ deps, organizationId, query }) => ({
      data: await listPayoutAccounts(deps, organizationId, query),
    }),
  })

  app.get('/v1/payout-accounts/:id', {
    schema: {
      operationId: 'getPayoutAccount',
      summary: 'Read a beneficiary',
      tags,
      params: ById,
      response: { 200: PayoutAccountBody, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, params }) => ({
      data: await getPayoutAccount(deps, organizationId, params.id),
    }),
  })

  app.patch('/v1/payout-accounts/:id', {
    schema: {
      operationId: 'updatePayoutAccount',
      summary: 'Change a beneficiary',
      description:
        'A changed destination is resolved again before it is saved. Payouts keep the one they were made for.',
      tags,
      params: ById,
      body: PayoutAccountChange,
      response: {
        200: PayoutAccountBody,
        ...refusing('not_found', 'payout_account_exists', ...resolving, ...savingWallets),
      },
    },
    handler: async ({ deps, organizationId, params, body }) => ({
      data: await updatePayoutAccount(deps, organizationId, params.id, body),
    }),
  })

  app.delete('/v1/payout-accounts/:id', {
    schema: {
      operationId: 'removePayoutAccount',
      summary: 'Remove a beneficiary',
      tags,
      params: ById,
      response: { 200: PayoutAccountBody, ...refusing('not_found', 'payout_account_in_use') },
    },
    handler: async ({ deps, organizationId, params }) => ({
      data: await removePayoutAccount(deps, organizationId, params.id),
    }),
  })
}
