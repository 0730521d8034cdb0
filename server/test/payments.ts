import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { statement } from '../src/db/sql.ts'
import { findVisit, openPayment } from '../src/payments/payer.ts'
import type { Payment } from '../src/payments/schema.ts'
import type { PaymentStatus } from '../src/payments/states.ts'
import type { PaymentRow } from '../src/payments/store.ts'
import { eventually, type World } from './world.ts'

export type { Payment }

/** A new payment of 5,000 NGN, or of what is said. */
export async function askFor(world: World, more: object = {}): Promise<Payment> {
  const wish = { reference: randomUUID(), sourceCurrency: 'NGN', sourceAmount: 5_000, ...more }
  const response = await world.post('/v1/payments', wish)
  assert.equal(response.statusCode, 201, response.body)
  return response.json<{ data: Payment }>().data
}

export async function read(world: World, { id }: { id: string }): Promise<Payment> {
  const response = await world.get(`/v1/payments/${id}`)
  assert.equal(response.statusCode, 200, response.body)
  return response.json<{ data: Payment }>().data
}

/** The payment as the page has it. */
export async function visit(world: World, { linkToken }: { linkToken: string }): Promise<PaymentRow> {
  const found = await findVisit(world.service.deps, linkToken, undefined)
  assert.equal(found.state, 'visit')
  return (found as { payment: PaymentRow }).payment
}

/** Tells the provider something and waits until everything that follows from it has happened. */
export async function command(world: World, { id }: { id: string }, step: string, body?: object): Promise<void> {
  const response = await world.post(`/v1/sandbox/payments/${id}/${step}`, body)
  assert.equal(response.statusCode, 202, response.body)
  await quiet(world)
}

const openSql = statement<{ open: number }>(`
  select ((select count(*) from simulator.notices where sent_at is null)
        + (select count(*) from rail_notice_queue))::integer as open`)

/** Waits until no notice is on its way. */
export async function quiet({ service }: World): Promise<void> {
  await eventually('no notice is on its way', async () => (await service.deps.db.one(openSql)).open === 0)
}

/** A payment that has come to a status. */
export async function paymentIn(world: World, status: PaymentStatus, more: object = {}): Promise<Payment> {
  const payment = await askFor(world, { expiresIn: 300, linkExpiresIn: 300, ...more })
  switch (status) {
    case 'created':
      break
    case 'pending':
      await openPayment(world.service.deps, await visit(world, payment))
      break
    case 'cancelled':
      assert.equal((await world.post(`/v1/payments/${payment.id}/cancel`)).statusCode, 200)
      break
    case 'expired':
      await world.advance(301)
      break
    case 'settled':
      await command(world, payment, 'execute')
      await command(world, payment, 'settle')
      break
    default:
      await command(world, payment, commands[status])
  }
  const reached = await read(world, payment)
  assert.equal(reached.status, status)
  return reached
}

const commands = { authorising: 'authorise', initiated: 'initiate', executed: 'execute', failed: 'fail' } as const

export type Envelope = { id: string; type: string; data: Record<string, unknown> }

/** What the organization was told of a payment, oldest first. */
export async function eventsOf(world: World, { id }: { id: string }): Promise<Envelope[]> {
  const response = await world.get('/v1/events?limit=100')
  const { events } = response.json<{ data: { events: Envelope[] } }>().data
  return events.filter(({ data }) => data['id'] === id).toReversed()
}

export type ReviewItem = {
  id: string
  kind: string
  status: string
  amount: number
  currency: string
  resourceId: string
  railReference: string
  resolvedBy: string | null
  resolvedAt: string | null
}

export async function reviewItems(world: World, filter = ''): Promise<ReviewItem[]> {
  const response = await world.get(`/v1/review-items${filter}`)
  assert.equal(response.statusCode, 200, response.body)
  return response.json<{ data: { reviewItems: ReviewItem[] } }>().data.reviewItems
}

/** The header of the organization's owner, signed in. */
export async function owner(world: World): Promise<{ authorization: string }> {
  const { email, password } = world
  const response = await world.post('/v1/auth/login', { email, password })
  assert.equal(response.statusCode, 200, response.body)
  return { authorization: `Bearer ${response.json<{ data: { token: string } }>().data.token}` }
}

export async function wallet(world: World, currency = 'NGN') {
  type Wallet = { balance: number; pendingBalance: number }
  return (await world.get(`/v1/wallets/${currency}`)).json<{ data: Wallet }>().data
}
