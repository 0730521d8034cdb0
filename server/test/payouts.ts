import assert from 'node:assert/strict'
import type { World } from './world.ts'

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

/** A beneficiary whose account number ends so; one of the endings of the built-in provider, or one that is paid. */
export async function account(world: World, accountNumber = '0123456789', more: object = {}): Promise<{ id: string }> {
  const response = await world.post('/v1/payout-accounts', {
    accountType: 'bank_account',
    accountNumber,
    bankCode: '058',
    ...more,
  })
  assert.equal(response.statusCode, 201, response.body)
  return response.json<{ data: { id: string } }>().data
}

export async function pay(world: World, wish: { payoutAccountId: string; [field: string]: unknown }): Promise<Payout> {
  const response = await world.post('/v1/payouts', { reference: reference(), ...wish })
  assert.equal(response.statusCode, 201, response.body)
  return response.json<{ data: Payout }>().data
}

export async function payout(world: World, id: string): Promise<Payout> {
  const response = await world.get(`/v1/payouts/${id}`)
  assert.equal(response.statusCode, 200, response.body)
  return response.json<{ data: Payout }>().data
}

export async function wallet(world: World, currency: string): Promise<{ balance: number; heldBalance: number }> {
  const { balance, heldBalance } = (await world.get(`/v1/wallets/${currency}`)).json<{
    data: { balance: number; heldBalance: number }
  }>().data
  return { balance, heldBalance }
}
