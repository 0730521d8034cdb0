import assert from 'node:assert/strict'
import { statement } from '../src/db/sql.ts'
import { eventually, type World } from './world.ts'

export type Payout = {
  id: string
  reference: string
  status: string
  failureReason: string | null
  waitingReason: string | null
  payoutAccountId: string
  destination: Record<string, unknown>
  sourceAmount: number
  sourceCurrency: string
  targetAmount: number
  targetCurrency: string
  exchangeRate: number
  feeAmount: number
  narration: string | null
  metadata: Record<string, string> | null
  requiresApproval: boolean
  approvedBy: string | null
  approvedAt: string | null
  providerReference: string | null
  returnedAt: string | null
  returnReason: string | null
  returnTransferId: string | null
  statusHistory: { status: string; at: string }[]
  createdBy: string
  createdAt: string
  updatedAt: string
  completedAt: string | null
}

let references = 0
export function reference(): string {
  references += 1
  return `payout-${references}`
}

/** A beneficiary with this account number: one with an ending of the built-in provider, or one that is paid. */
export async function account(world: World, accountNumber = '0123456789', more: object = {}): Promise<{ id: string }> {
  const wish = { accountType: 'bank_account', accountNumber, bankCode: '058', ...more }
  const response = await world.post('/v1/payout-accounts', wish)
  assert.equal(response.statusCode, 201, response.body)
  return response.json<{ data: { id: string } }>().data
}

type Wish = { payoutAccountId: string; [field: string]: unknown }

export async function pay(world: World, wish: Wish, headers: Record<string, string> = {}): Promise<Payout> {
  const response = await world.post('/v1/payouts', { reference: reference(), ...wish }, headers)
  assert.equal(response.statusCode, 201, response.body)
  return response.json<{ data: Payout }>().data
}

/** A payout of 1,000 NGN to a new beneficiary with this account number, from a wallet with enough in it. */
export async function payTo(world: World, accountNumber: string): Promise<Payout> {
  await world.fund('NGN', 2_000)
  const { id } = await account(world, accountNumber)
  return pay(world, { payoutAccountId: id, sourceAmount: 1_000 })
}

export async function payout(world: World, id: string): Promise<Payout> {
  const response = await world.get(`/v1/payouts/${id}`)
  assert.equal(response.statusCode, 200, response.body)
  return response.json<{ data: Payout }>().data
}

/** Waits until a payout has come to a status. */
export async function reaches(world: World, id: string, status: string, timeoutMs = 30_000): Promise<Payout> {
  await eventually(`the payout is ${status}`, async () => (await payout(world, id)).status === status, timeoutMs)
  return payout(world, id)
}

export async function wallet(world: World, currency = 'NGN'): Promise<{ balance: number; heldBalance: number }> {
  const { balance, heldBalance } = (await world.get(`/v1/wallets/${currency}`)).json<{
    data: { balance: number; heldBalance: number }
  }>().data
  return { balance, heldBalance }
}

export type Event = { type: string; data: Record<string, unknown> }

/** The events of one payout, oldest first. */
export async function eventsOf(world: World, id: string): Promise<Event[]> {
  const { events } = (await world.get('/v1/events?limit=100')).json<{ data: { events: Event[] } }>().data
  return events.filter(({ data }) => data['id'] === id || data['payoutId'] === id).toReversed()
}

/** How the built-in provider pays from now on. */
export async function behave({ service }: World, settings: object): Promise<void> {
  const text = `insert into simulator.behaviour (capability, settings) values ('payouts', $1)
                on conflict (capability) do update set settings = excluded.settings`
  await service.deps.db.many(statement(text), [JSON.stringify(settings)])
}

/** The provider's own book: an order as often as it took it, and how often it was sent. */
export async function booked({ service }: World, id: string): Promise<{ orders: number; sends: number }> {
  const text = `select count(*)::integer as orders, coalesce(sum(sends), 0)::integer as sends
                  from simulator.payout_orders where order_id = $1`
  return service.deps.db.one(statement<{ orders: number; sends: number }>(text), [id])
}

/** What a person is asked about a payout. */
export async function reviewItems({ service, organizationId }: World, id: string) {
  const text = `select kind, status, amount from review_items where organization_id = $1 and resource_id = $2 order by id`
  const row = statement<{ kind: string; status: string; amount: bigint }>(text)
  return service.deps.db.many(row, [organizationId, id])
}
