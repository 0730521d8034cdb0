import type { Db, Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { invalid, Refusal } from '../errors.ts'
import { emit } from '../events/emit.ts'
import type { Actor } from '../http/authentication.ts'
import { applyChanges, changedFields, faultsOf, newRow } from './changes.ts'
import { identityContext, verifyBvn, type BvnQuestion } from './identity.ts'
import { present } from './present.ts'
import type { Customer, CustomerChanges, CustomerQuery, NewCustomer } from './schema.ts'
import * as store from './store.ts'

/** Registers a customer. A BVN is verified before anything is saved. */
export async function createCustomer(
  deps: Deps,
  organizationId: string,
  actor: Actor,
  wish: NewCustomer,
): Promise<Customer> {
  const faults = faultsOf(wish, deps.now())
  if (faults.length > 0) throw invalid(...faults)
  const draft = newRow(deps, organizationId, actor, wish)
  if (await store.findCustomerByEmail(deps.db, organizationId, wish.email))
    throw new Refusal('email_taken', { param: 'email' })
  const question = bvnQuestion(draft.bvn, draft.row)
  if (question) await verifyBvn(deps, question)
  return deps.db.transaction(async (tx) => {
    const row = { ...draft.row, identityVerifiedAt: question ? draft.row.createdAt : null }
    await store.insertCustomer(tx, row)
    await announce(deps, tx, 'customer.created', row)
    return present(row)
  })
}

/** Between asking the provider and saving, somebody else may change the name it was asked about; then it is asked again. */
const MOST_QUESTIONS = 3

/** Changes the fields that are given. A BVN is verified before anything is saved. */
export async function updateCustomer(
  deps: Deps,
  organizationId: string,
  id: string,
  wish: CustomerChanges,
): Promise<Customer> {
  const early = faultsOf(wish, deps.now())
  if (early.length > 0) throw invalid(...early)
  let before = await getRow(deps.db, organizationId, id)
  for (let asked = 0; asked < MOST_QUESTIONS; asked += 1) {
    const draft = applyChanges(deps, before, wish)
    const question = bvnQuestion(draft.bvn, draft.row)
    if (question) {
      await refuseTakenEmail(deps.db, before, draft.row.email)
      await verifyBvn(deps, question)
    }
    const saved = await deps.db.transaction((tx) => save(deps, tx, { organizationId, id, wish, question }))
    if (saved.isSaved) return present(saved.row)
    before = saved.row
  }
  throw new Refusal('customer_busy')
}

type Wanted = { organizationId: string; id: string; wish: CustomerChanges; question: BvnQuestion | undefined }

/** Saves under the row's lock, unless the provider was asked about somebody this customer no longer is. */
async function save(deps: Deps, tx: Tx, { organizationId, id, wish, question }: Wanted) {
  const current = await lockRow(tx, organizationId, id)
  const { row, bvn } = applyChanges(deps, current, wish, question !== undefined)
  if (JSON.stringify(bvnQuestion(bvn, row)) !== JSON.stringify(question)) return { isSaved: false, row: current }
  const changed = changedFields(deps, current, row)
  if (changed.length === 0) return { isSaved: true, row: current }
  await store.updateCustomer(tx, row)
  await announce(deps, tx, 'customer.updated', row, changed)
  return { isSaved: true, row }
}

/** Deactivates a customer; twice is fine. What is open stays open. */
export async function deactivateCustomer(deps: Deps, organizationId: string, id: string): Promise<Customer> {
  return updateCustomer(deps, organizationId, id, { isActive: false })
}

export async function getCustomer(deps: Deps, organizationId: string, id: string): Promise<Customer> {
  return present(await getRow(deps.db, organizationId, id))
}

export async function getCustomerByEmail(deps: Deps, organizationId: string, email: string): Promise<Customer> {
  const row = await store.findCustomerByEmail(deps.db, organizationId, email)
  if (!row) throw new Refusal('not_found')
  return present(row)
}

export async function listCustomers(deps: Deps, organizationId: string, query: CustomerQuery) {
  const { items, pagination } = await store.listCustomers(deps.db, organizationId, query)
  return { customers: items.map(present), pagination }
}

/** The customer a new payment names; refuses one that is not there or not active. */
export async function getActiveCustomer(db: Db, organizationId: string, id: string): Promise<Customer> {
  const row = await store.findCustomer(db, organizationId, id)
  if (!row) throw new Refusal('customer_not_found', { param: 'customerId' })
  if (!row.isActive) throw new Refusal('customer_inactive', { param: 'customerId' })
  return present(row)
}

async function getRow(db: Db, organizationId: string, id: string): Promise<store.CustomerRow> {
  const row = await store.findCustomer(db, organizationId, id)
  if (!row) throw new Refusal('not_found')
  return row
}

async function lockRow(tx: Tx, organizationId: string, id: string): Promise<store.CustomerRow> {
  const row = await store.lockCustomer(tx, organizationId, id)
  if (!row) throw new Refusal('not_found')
  return row
}

/** A conflict comes before the provider's answer; the constraint decides where two come at once. */
async function refuseTakenEmail(db: Db, { organizationId, id }: store.CustomerRow, email: string): Promise<void> {
  const holder = await store.findCustomerByEmail(db, organizationId, email)
  if (holder && holder.id !== id) throw new Refusal('email_taken', { param: 'email' })
}

function bvnQuestion(bvn: string | null, row: store.CustomerRow): BvnQuestion | undefined {
  const { firstName, lastName, dateOfBirth } = row
  return bvn === null ? undefined : { bvn, firstName, lastName, dateOfBirth }
}

async function announce(
  deps: Deps,
  tx: Tx,
  type: 'customer.created' | 'customer.updated',
  row: store.CustomerRow,
  changed?: readonly string[],
): Promise<void> {
  const at = row.updatedAt
  const data = { ...present(row), ...(changed && { changedFields: changed }) }
  await emit(tx, [{ organizationId: row.organizationId, id: deps.newId(at), type, data, at }])
}

/** Seals identities again that are sealed under an older master key; answers how many. */
export async function resealIdentities(deps: Deps, most: number): Promise<number> {
  return deps.db.transaction(async (tx) => {
    const rows = await store.lockSealedByOthers(tx, deps.secrets.sealedBeginning, most)
    for (const row of rows) {
      const context = identityContext(row)
      await store.updateSealed(tx, {
        ...row,
        sealed: deps.secrets.seal(deps.secrets.open(row.sealed, context), context),
      })
    }
    return rows.length
  })
}
