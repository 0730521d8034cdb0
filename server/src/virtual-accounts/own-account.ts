import type { Db } from '../db/database.ts'
import type { BankAccount } from '../rails/rail.ts'
import * as store from './store.ts'

/** The account an organization shows on its naira wallet: the first of its oldest active virtual account. */
export function findOwnAccount(db: Db, organizationId: string): Promise<BankAccount | undefined> {
  return store.findOldestOwn(db, organizationId)
}
