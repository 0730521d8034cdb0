import type { Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import { destinationKey, readDestination, type Unresolved } from './destination.ts'
import { resolveDestination, type Resolved } from './resolve.ts'
import type {
  NewPayoutAccount,
  PayoutAccount,
  PayoutAccountChange,
  PayoutAccountQuery,
  ResolvedAccount,
  ResolveRequest,
} from './schema.ts'
import * as store from './store.ts'

/** A beneficiary as payouts see it, with what its organization wants approved: minor units per currency, as text. */
export type Beneficiary = Awaited<ReturnType<typeof store.shareAccounts>>[number]

/** Says whose account it is, and keeps nothing. */
export async function resolvePayoutAccount(
  deps: Deps,
  organizationId: string,
  wish: ResolveRequest,
): Promise<ResolvedAccount> {
  const { routingNumber: _, ...shown } = await resolveDestination(
    deps,
    organizationId,
    readDestination(deps.config, wish),
  )
  return shown
}

/** Saves a beneficiary once its owner is known. The same destination twice is the same beneficiary. */
export async function createPayoutAccount(
  deps: Deps,
  organizationId: string,
  wish: NewPayoutAccount,
): Promise<{ account: PayoutAccount; isNew: boolean }> {
  const resolved = await resolveDestination(deps, organizationId, readDestination(deps.config, wish))
  return deps.db.transaction(async (tx) => {
    const createdAt = deps.now()
    const key = destinationKey(resolved)
    const row = {
      ...resolved,
      organizationId,
      id: deps.newId(createdAt),
      destinationKey: key,
      nickname: wish.nickname ?? null,
      metadata: wish.metadata ?? null,
      createdAt,
    }
    // Whoever wins is committed by the time the insert gives way, unless it was removed again in that moment.
    for (;;) {
      const added = await store.insertAccount(tx, row)
      if (added) return { account: present(added), isNew: true }
      const existing = await store.findByDestination(tx, organizationId, key)
      if (existing) return { account: present(existing), isNew: false }
    }
  })
}

export async function listPayoutAccounts(deps: Deps, organizationId: string, query: PayoutAccountQuery) {
  const { items, pagination } = await store.listAccounts(deps.db, organizationId, query)
  return { payoutAccounts: items.map(present), pagination }
}

export async function getPayoutAccount(deps: Deps, organizationId: string, id: string): Promise<PayoutAccount> {
  return present(found(await store.findAccount(deps.db, organizationId, id)))
}

/** Changes a beneficiary. A changed destination is resolved again first; payouts under way keep the old one. */
export async function updatePayoutAccount(
  deps: Deps,
  organizationId: string,
  id: string,
  change: PayoutAccountChange,
): Promise<PayoutAccount> {
  const before = found(await store.findAccount(deps.db, organizationId, id))
  const wanted = destinationAfter(deps, before, change)
  const resolved = wanted && (await resolveDestination(deps, organizationId, wanted))
  return deps.db.transaction(async (tx) => {
    const row = found(await store.lockAccount(tx, organizationId, id))
    const after = {
      ...row,
      ...(resolved && destinationFields(resolved)),
      ...(change.nickname !== undefined && { nickname: change.nickname }),
      ...(change.metadata !== undefined && { metadata: change.metadata }),
      ...(change.isActive !== undefined && { isActive: change.isActive }),
      updatedAt: deps.now(),
    }
    return present(await store.updateAccount(tx, organizationId, after, destinationKey(after)))
  })
}

/** The whole destination a change leads to; undefined where it changes nothing of it. */
function destinationAfter(
  deps: Deps,
  before: store.PayoutAccountRow,
  change: PayoutAccountChange,
): Unresolved | undefined {
  const names = ['accountNumber', 'bankCode', 'institutionId', 'routingNumber'] as const
  if (names.every((name) => change[name] === undefined)) return undefined
  const given = Object.fromEntries(names.flatMap((name) => (change[name] === undefined ? [] : [[name, change[name]]])))
  return readDestination(deps.config, { ...before, ...given })
}

function destinationFields(resolved: Resolved) {
  const { accountNumber, accountName, bankCode, bankName, institutionId, routingNumber } = resolved
  return { accountNumber, accountName, bankCode, bankName, institutionId, routingNumber }
}

/** Removes a beneficiary nobody is being paid through. Payouts keep their destination. */
export async function removePayoutAccount(deps: Deps, organizationId: string, id: string): Promise<PayoutAccount> {
  return deps.db.transaction(async (tx) => {
    const row = found(await store.lockAccount(tx, organizationId, id))
    if (await store.hasOpenPayout(tx, organizationId, id)) throw new Refusal('payout_account_in_use')
    const at = deps.now()
    await store.removeAccount(tx, organizationId, id, at)
    return present({ ...row, updatedAt: at })
  })
}

/** Reads beneficiaries about to be paid; none of them can be removed before the transaction ends. */
export function shareAccounts(tx: Tx, keys: readonly store.AccountKey[]): Promise<Beneficiary[]> {
  return store.shareAccounts(tx, keys)
}

function found(row: store.PayoutAccountRow | undefined): store.PayoutAccountRow {
  if (!row) throw new Refusal('not_found')
  return row
}

function present(row: store.PayoutAccountRow): PayoutAccount {
  return { ...row, createdAt: row.createdAt.toISOString(), updatedAt: row.updatedAt.toISOString() }
}
