import assert from 'node:assert/strict'
import type { Credit, Credited, VirtualAccount } from '../src/virtual-accounts/schema.ts'
import { statement } from '../src/db/sql.ts'
import { createCustomer } from './customers.ts'
import { eventually, type World } from './world.ts'

export type AccountAnswer = { data: VirtualAccount }
export type CreditedEvent = { id: string; type: string; data: Credited }

/** A customer with a virtual account at providerB. */
export async function openAccount(world: World, email = 'ada@example.com'): Promise<VirtualAccount> {
  const { id } = await createCustomer(world, { email })
  const response = await world.post(`/v1/customers/${id}/virtual-accounts`)
  assert.equal(response.statusCode, 201, response.body)
  return response.json<AccountAnswer>().data
}

/** Somebody pays into an account; answers the transaction's reference. */
export async function pay(world: World, accountNumber: string, amount: number, more: object = {}): Promise<string> {
  const response = await world.post(`/v1/sandbox/virtual-accounts/${accountNumber}/credits`, { amount, ...more })
  assert.equal(response.statusCode, 202, response.body)
  return response.json<{ data: { transactionReference: string } }>().data.transactionReference
}

export async function creditsOf(world: World, { id }: { id: string }): Promise<Credit[]> {
  const response = await world.get(`/v1/virtual-accounts/${id}/credits?limit=100`)
  assert.equal(response.statusCode, 200, response.body)
  return response.json<{ data: { credits: Credit[] } }>().data.credits
}

export async function credited(world: World, account: { id: string }, count: number): Promise<Credit[]> {
  await eventually(`${count} credits`, async () => (await creditsOf(world, account)).length === count)
  return creditsOf(world, account)
}

export async function creditEvents(world: World): Promise<CreditedEvent[]> {
  const response = await world.get('/v1/events?type=virtual_account.credited&limit=100')
  return response.json<{ data: { events: CreditedEvent[] } }>().data.events
}

/** Waits until the provider has told everything it has to tell, and everything told has been worked. */
export async function noticesSettled({ service: { deps } }: World): Promise<void> {
  const left = statement<{ left: number }>(
    `select (select count(*) from simulator.notices where sent_at is null)::integer
          + (select count(*) from rail_notice_queue where set_aside_at is null)::integer as left`,
  )
  await eventually('no notice is under way', async () => (await deps.db.one(left)).left === 0)
}

/** What differs between the provider's book of credits and ours; both in naira. */
export function differencesOfBooks({ service: { deps } }: World, organizationId: string) {
  return deps.db.many(
    statement<{ reference: string; theirs: string | null; ours: string | null }>(`
      with theirs as (
        select c.provider, c.transaction_reference, c.amount from simulator.virtual_account_credits c
          join virtual_account_directory d on d.account_number = c.account_number and d.organization_id = $1)
      select coalesce(t.transaction_reference, o.transaction_reference) as reference,
             t.amount::text as theirs, (o.gross_amount / 100.0)::text as ours
        from theirs t full join (select rail, transaction_reference, gross_amount from virtual_account_credits where organization_id = $1) o
          on o.rail = t.provider and o.transaction_reference = t.transaction_reference
       where t.amount is distinct from o.gross_amount / 100.0`),
    [organizationId],
  )
}
