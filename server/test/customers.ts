import assert from 'node:assert/strict'
import type { Customer } from '../src/customers/schema.ts'
import type { World } from './world.ts'

export type CustomerAnswer = { data: Customer }
export type Refused = { error: { code: string; param?: string; details?: { param: string }[] } }
export type CustomerEvent = { type: string; data: Customer & { changedFields?: string[] } }

export const ada = { firstName: 'Ada', lastName: 'Obi', email: 'Ada.Obi@Example.com' }
export const GOOD_BVN = '12345678901'
export const MISMATCHED_BVN = '22222222220'
export const UNANSWERED_BVN = '22222222221'

export async function createCustomer(world: World, more: object = {}): Promise<Customer> {
  const response = await world.post('/v1/customers', { ...ada, ...more })
  assert.equal(response.statusCode, 201, response.body)
  return response.json<CustomerAnswer>().data
}

export async function readCustomer(world: World, id: string): Promise<Customer> {
  return (await world.get(`/v1/customers/${id}`)).json<CustomerAnswer>().data
}

export async function customerEvents(world: World): Promise<CustomerEvent[]> {
  return (await world.get('/v1/events')).json<{ data: { events: CustomerEvent[] } }>().data.events
}

/** The fields a creation is refused for. */
export async function refusedFields(world: World, body: object): Promise<string[]> {
  const response = await world.post('/v1/customers', { ...ada, ...body })
  assert.equal(response.statusCode, 400, response.body)
  return response.json<Refused>().error.details!.map(({ param }) => param)
}
