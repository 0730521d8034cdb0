import type { Api } from '../app.ts'
import { ById, refusing } from '../http/schemas.ts'
import {
  createCustomer,
  deactivateCustomer,
  getCustomer,
  getCustomerByEmail,
  listCustomers,
  updateCustomer,
} from './operations.ts'
import { ByEmail, CustomerBody, CustomerChanges, CustomerPage, CustomerQuery, NewCustomer } from './schema.ts'

const identityRefusals = ['identity_mismatch', 'identity_provider_unavailable', 'no_rail'] as const

export function customerRoutes(app: Api): void {
  app.post('/v1/customers', {
    // A BVN is verified by a provider before anything is written.
    config: { idempotency: 'claimed' },
    schema: {
      operationId: 'createCustomer',
      summary: 'Register a customer',
      tags: ['Customers'],
      body: NewCustomer,
      response: { 201: CustomerBody, ...refusing('email_taken', ...identityRefusals) },
    },
    handler: async ({ deps, organizationId, actor, body }) => ({
      data: await createCustomer(deps, organizationId, actor, body),
    }),
  })

  app.get('/v1/customers', {
    schema: {
      operationId: 'listCustomers',
      summary: 'List customers',
      tags: ['Customers'],
      querystring: CustomerQuery,
      response: { 200: CustomerPage, ...refusing() },
    },
    handler: async ({ deps, organizationId, query }) => ({ data: await listCustomers(deps, organizationId, query) }),
  })

  app.get('/v1/customers/by-email', {
    schema: {
      operationId: 'getCustomerByEmail',
      summary: 'Read a customer by e-mail address, in any case',
      tags: ['Customers'],
      querystring: ByEmail,
      response: { 200: CustomerBody, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, query }) => ({
      data: await getCustomerByEmail(deps, organizationId, query.email),
    }),
  })

  app.get('/v1/customers/:id', {
    schema: {
      operationId: 'getCustomer',
      summary: 'Read a customer',
      tags: ['Customers'],
      params: ById,
      response: { 200: CustomerBody, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, params }) => ({ data: await getCustomer(deps, organizationId, params.id) }),
  })

  app.put('/v1/customers/:id', {
    schema: {
      operationId: 'updateCustomer',
      summary: 'Change fields of a customer',
      description: 'Only the fields given change; null clears one. address and metadata are replaced as a whole.',
      tags: ['Customers'],
      params: ById,
      body: CustomerChanges,
      response: { 200: CustomerBody, ...refusing('not_found', 'email_taken', 'customer_busy', ...identityRefusals) },
    },
    handler: async ({ deps, organizationId, params, body }) => ({
      data: await updateCustomer(deps, organizationId, params.id, body),
    }),
  })

  app.delete('/v1/customers/:id', {
    schema: {
      operationId: 'deactivateCustomer',
      summary: 'Deactivate a customer',
      description: 'Virtual accounts stay open: money may still arrive, and is credited.',
      tags: ['Customers'],
      params: ById,
      response: { 200: CustomerBody, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, params }) => ({
      data: await deactivateCustomer(deps, organizationId, params.id),
    }),
  })
}
