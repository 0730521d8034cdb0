import type { Api } from '../app.ts'
import { refusing } from '../http/schemas.ts'
import { fundWallet, getWallet, listEntries, listWallets } from './operations.ts'
import { ByCurrency, EntryPage, EntryQuery, Funding, FundingBody, WalletBody, WalletList } from './schema.ts'

export function walletRoutes(app: Api): void {
  app.get('/v1/wallets', {
    schema: {
      operationId: 'listWallets',
      summary: 'List your wallets',
      tags: ['Wallets'],
      response: { 200: WalletList, ...refusing() },
    },
    handler: async ({ deps, organizationId }) => ({ data: await listWallets(deps, organizationId) }),
  })

  app.get('/v1/wallets/:currency', {
    schema: {
      operationId: 'getWallet',
      summary: 'Read the wallet of one currency',
      tags: ['Wallets'],
      params: ByCurrency,
      response: { 200: WalletBody, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, params }) => ({
      data: await getWallet(deps, organizationId, params.currency),
    }),
  })

  app.get('/v1/wallets/:currency/entries', {
    schema: {
      operationId: 'listWalletEntries',
      summary: 'Read the statement of a wallet',
      tags: ['Wallets'],
      params: ByCurrency,
      querystring: EntryQuery,
      response: { 200: EntryPage, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, params, query }) => ({
      data: await listEntries(deps, organizationId, params.currency, query),
    }),
  })
}

export function walletSandboxRoutes(app: Api): void {
  app.post('/v1/sandbox/wallets/:currency/fund', {
    config: { idempotency: 'none' },
    schema: {
      operationId: 'fundWallet',
      summary: 'Put play money into a wallet',
      tags: ['Sandbox'],
      params: ByCurrency,
      body: Funding,
      response: { 202: FundingBody, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, params, body }) => ({
      data: await fundWallet(deps, organizationId, params.currency, body.amount),
    }),
  })
}
