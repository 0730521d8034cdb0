import { toMajor } from '../money/money.ts'
import type { Credit, Credited, VirtualAccount } from './schema.ts'
import type { ListedCredit, VirtualAccountRow } from './store.ts'

export function presentAccount(row: VirtualAccountRow): VirtualAccount {
  const { id, rail, accounts, isActive, accountReference, entityType, entityId, createdAt } = row
  return {
    id,
    provider: rail,
    accounts,
    isActive,
    accountReference,
    currency: 'NGN',
    entityType,
    entityId,
    createdAt: createdAt.toISOString(),
  }
}

/** A credit as the event tells it: what the provider did not say is left out. */
export function presentCredited(row: ListedCredit): Credited {
  const { virtualAccountId, accountReference, accountNumber, entityType, entityId, rail, transactionReference } = row
  return {
    virtualAccountId,
    accountReference,
    accountNumber,
    entityType,
    entityId,
    provider: rail,
    transactionReference,
    reference: referenceOf(row),
    grossAmount: toMajor(row.grossAmount, row.currency),
    feeAmount: toMajor(row.feeAmount, row.currency),
    netAmount: toMajor(row.netAmount, row.currency),
    currency: 'NGN',
    ...(row.payerName !== null && { customerName: row.payerName }),
    ...(row.payerEmail !== null && { customerEmail: row.payerEmail }),
  }
}

export function presentCredit(row: ListedCredit): Credit {
  const { customerName = null, customerEmail = null, ...told } = presentCredited(row)
  return { id: row.id, ...told, customerName, customerEmail, createdAt: row.createdAt.toISOString() }
}

/** A credit's own reference: what two providers call alike stays two. */
export function referenceOf({ rail, transactionReference }: { rail: string; transactionReference: string }): string {
  return `${rail}:${transactionReference}`
}
