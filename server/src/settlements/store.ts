import type { Db, Tx } from '../db/database.ts'
import { createdConditions, listPage, type Page } from '../db/paging.ts'
import { sql } from '../db/sql.ts'
import type { Currency } from '../money/currencies.ts'
import type { Minor } from '../money/money.ts'
import type { SettlementQuery } from './schema.ts'

export type SettlementRow = {
  id: string
  rail: string
  currency: Currency
  settledOn: string
  grossAmount: Minor
  feeAmount: Minor
  paymentCount: number
  createdAt: Date
}

/** What a batch adds to one settlement. */
export type SettlementShare = {
  organizationId: string
  id: string
  rail: string
  currency: Currency
  grossAmount: bigint
  feeAmount: bigint
  paymentCount: number
}

const addSql = sql<{ organizationId: string; id: string; rail: string; currency: Currency }>`
  insert into settlements as s (organization_id, id, rail, currency, settled_on, gross_amount, fee_amount, payment_count, created_at)
  select organization_id, id, rail, currency, $8::date, gross_amount, fee_amount, payment_count, $9
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::integer[])
      as t (organization_id, id, rail, currency, gross_amount, fee_amount, payment_count)
   order by organization_id, rail, currency
  on conflict (organization_id, rail, currency, settled_on) do update
     set gross_amount = s.gross_amount + excluded.gross_amount, fee_amount = s.fee_amount + excluded.fee_amount,
         payment_count = s.payment_count + excluded.payment_count
  returning s.organization_id as "organizationId", s.id, s.rail, s.currency`

/** Adds to the settlements of a day, opening those that are not there; at most one share per settlement. */
export function addShares(tx: Tx, shares: readonly SettlementShare[], settledOn: string, at: Date) {
  const column = (name: keyof SettlementShare) => shares.map((share) => share[name])
  const names = ['organizationId', 'id', 'rail', 'currency', 'grossAmount', 'feeAmount', 'paymentCount']
  return tx.many(addSql, [...(names as (keyof SettlementShare)[]).map(column), settledOn, at])
}

const columns = `
  s.id, s.rail, s.currency, s.settled_on::text as "settledOn", s.gross_amount as "grossAmount", s.fee_amount as "feeAmount",
  s.payment_count as "paymentCount", s.created_at as "createdAt"`

const findSql = sql<SettlementRow>`select ${columns} from settlements s where s.organization_id = $1 and s.id = $2`

export function findSettlement(db: Db, organizationId: string, id: string): Promise<SettlementRow | undefined> {
  return db.maybe(findSql, [organizationId, id])
}

export function listSettlements(db: Db, organizationId: string, query: SettlementQuery): Promise<Page<SettlementRow>> {
  return listPage(
    db,
    { columns, from: 'settlements s', id: 's.id' },
    [
      { text: 's.organization_id = ?', value: organizationId },
      ...(query.currency === undefined ? [] : [{ text: 's.currency = ?', value: query.currency }]),
      ...createdConditions(query, 's.id'),
    ],
    query,
  )
}
