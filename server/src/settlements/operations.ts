import type { Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import type { Currency } from '../money/currencies.ts'
import { minor, toMajor, type Minor } from '../money/money.ts'
import type { Settlement, SettlementQuery } from './schema.ts'
import * as store from './store.ts'

export type SettledPayment = {
  readonly organizationId: string
  readonly paymentId: string
  readonly rail: string
  readonly currency: Currency
  readonly grossAmount: Minor
  readonly feeAmount: Minor
}

/** Puts payments into today's settlements of their rails and currencies; answers which settlement each went into. */
export async function addToSettlements(
  deps: Deps,
  tx: Tx,
  payments: readonly SettledPayment[],
): Promise<Map<string, string>> {
  const at = deps.now()
  const keyOf = (one: { organizationId: string; rail: string; currency: string }) =>
    `${one.organizationId}/${one.currency}/${one.rail}`
  const groups = Map.groupBy(payments, keyOf)
  const shares = [...groups.values()].map((group) => ({
    organizationId: group[0]!.organizationId,
    rail: group[0]!.rail,
    currency: group[0]!.currency,
    id: deps.newId(at),
    grossAmount: group.reduce((sum, { grossAmount }) => sum + grossAmount, 0n),
    feeAmount: group.reduce((sum, { feeAmount }) => sum + feeAmount, 0n),
    paymentCount: group.length,
  }))
  const settlements = await store.addShares(tx, shares, at.toISOString().slice(0, 10), at)
  const ids = new Map(settlements.map((settlement) => [keyOf(settlement), settlement.id]))
  return new Map(payments.map((payment) => [payment.paymentId, ids.get(keyOf(payment))!]))
}

export async function listSettlements(deps: Deps, organizationId: string, query: SettlementQuery) {
  const { items, pagination } = await store.listSettlements(deps.db, organizationId, query)
  return { settlements: items.map(present), pagination }
}

export async function getSettlement(deps: Deps, organizationId: string, id: string): Promise<Settlement> {
  const row = await store.findSettlement(deps.db, organizationId, id)
  if (!row) throw new Refusal('not_found')
  return present(row)
}

function present(row: store.SettlementRow): Settlement {
  const { id, rail, currency, settledOn, paymentCount } = row
  return {
    id,
    rail,
    currency,
    settledOn,
    grossAmount: toMajor(row.grossAmount, currency),
    feeAmount: toMajor(row.feeAmount, currency),
    netAmount: toMajor(minor(row.grossAmount - row.feeAmount), currency),
    paymentCount,
    createdAt: row.createdAt.toISOString(),
  }
}
