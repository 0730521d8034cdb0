import { changesBetween, recordAct } from '../audit-log/operations.ts'
import type { Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import { getCustomer } from '../customers/operations.ts'
import type { Customer } from '../customers/schema.ts'
import { getOrganization } from '../organizations/operations.ts'
import {
  decide,
  findUnmatchedCredits,
  lockUnmatchedCredit,
  requeueNotices,
  showUnmatched,
  storeAnswers,
} from '../rails/inbox/operations.ts'
import type { BankAccount, VirtualAccountCapability } from '../rails/rail.ts'
import { addCredits, matchCredits } from './credits.ts'
import { presentAccount, presentCredit } from './present.ts'
import type { CreditQuery, Provider, VirtualAccount } from './schema.ts'
import * as questions from './question-store.ts'
import * as store from './store.ts'

const DEFAULT_PROVIDER: Provider = 'providerB'

export type Opened = { readonly account: VirtualAccount; readonly isNew: boolean }

/** A customer's account at a provider; the one it has, or a new one. */
export async function openForCustomer(
  deps: Deps,
  organizationId: string,
  customerId: string,
  provider?: Provider | null,
): Promise<Opened> {
  const customer = await getCustomer(deps, organizationId, customerId)
  return open(deps, organizationId, provider ?? DEFAULT_PROVIDER, {
    entityType: 'customer',
    entityId: customer.id,
    accountName: `${customer.firstName} ${customer.lastName}`,
    customer,
  })
}

/** The organization's own account at a provider; the one it has, or a new one. */
export async function openForOrganization(deps: Deps, organizationId: string, provider?: Provider | null) {
  const { name } = await getOrganization(deps, organizationId)
  const owner = { entityType: 'organization' as const, entityId: organizationId, accountName: name }
  return open(deps, organizationId, provider ?? DEFAULT_PROVIDER, owner)
}

type Owner = store.Entity & { readonly accountName: string; readonly customer?: Customer }

async function open(deps: Deps, organizationId: string, provider: Provider, owner: Owner): Promise<Opened> {
  const existing = await store.findOfEntity(deps.db, organizationId, owner, provider)
  if (existing?.status === 'open') return { account: presentAccount(existing), isNew: false }
  const rail = deps.rails.find(provider)?.virtualAccounts
  if (!rail) throw new Refusal('no_rail')
  if (owner.customer) refuseUnfit(owner.customer, rail.needsIdentity)
  const order = existing ?? (await recordOrder(deps, organizationId, provider, owner))
  const reply = await rail.open({
    orderId: order.id,
    accountReference: order.accountReference,
    accountName: order.accountName,
  })
  if (reply.state === 'unknown') throw new Refusal('virtual_account_provider_unavailable')
  if (reply.state === 'refused')
    throw new Refusal('virtual_account_refused', { message: `The provider refuses: ${reply.reason}.` })
  return finish(deps, order, reply.value.accounts)
}

function refuseUnfit(customer: Customer, needsIdentity: boolean): void {
  if (!customer.isActive) throw new Refusal('customer_inactive')
  if (needsIdentity && !customer.identityVerified) throw new Refusal('identity_required')
}

/**
 * The order is committed before the provider hears of it, so that a crash leaves no account nobody knows of: whoever
 * asks next sends the same order. Of many that come at once one writes it, and all send that one.
 */
async function recordOrder(
  deps: Deps,
  organizationId: string,
  rail: string,
  { entityType, entityId, accountName }: Owner,
): Promise<store.VirtualAccountRow> {
  const createdAt = deps.now()
  const id = deps.newId(createdAt)
  const accountReference = `va-${id}`
  await deps.db.independently((tx) =>
    store.insertVirtualAccount(tx, {
      organizationId,
      id,
      entityType,
      entityId,
      rail,
      accountReference,
      accountName,
      createdAt,
    }),
  )
  deps.faultPoint('virtual_account.ordered')
  return (await store.findOfEntity(deps.db, organizationId, { entityType, entityId }, rail))!
}

async function finish(deps: Deps, order: store.VirtualAccountRow, accounts: readonly BankAccount[]): Promise<Opened> {
  deps.faultPoint('virtual_account.opened_at_provider')
  return deps.db.transaction(async (tx) => {
    const opened = await store.openVirtualAccount(tx, order, accounts, deps.now())
    // Money may have come between the provider's opening of the account and ours.
    if (opened) await requeueMatched(tx)
    const row = opened ?? (await store.findVirtualAccount(tx, order.organizationId, order.id))!
    return { account: presentAccount(row), isNew: opened !== undefined }
  })
}

/** Credits that came before the account they are for was known here are worked again. */
async function requeueMatched(tx: Tx): Promise<void> {
  const waiting = await findUnmatchedCredits(tx)
  if (waiting.length === 0) return
  const matched = await matchCredits(tx, waiting)
  if (matched.length > 0) {
    await requeueNotices(
      tx,
      matched.map(({ notice }) => notice.id),
    )
  }
}

/** The same, for an account that was opened in the very moment its first credit was found to be nobody's. */
export async function matchLateCredits(deps: Deps): Promise<number> {
  await deps.db.transaction(requeueMatched)
  await showUnmatched(deps)
  return 0
}

const CREDITS_PER_PAGE = 500
const PAGES_AT_ONCE = 10

/**
 * Asks each rail that can tell for the credits since the last time, so that one whose notice never came is not lost.
 * They go through the inbox under the names their notices have: a notice that comes after all is told a second time.
 */
export async function askForCredits(deps: Deps): Promise<number> {
  let asked = 0
  for (const { name, virtualAccounts } of deps.rails.having('virtualAccounts')) {
    if (virtualAccounts.creditsSince) asked += await askRail(deps, name, virtualAccounts.creditsSince)
  }
  return asked
}

type CreditsSince = NonNullable<VirtualAccountCapability['creditsSince']>

/** Answers how many credits the rail told of that nobody knew, or 1 where it has more to tell. */
async function askRail(deps: Deps, rail: string, creditsSince: CreditsSince): Promise<number> {
  const { creditQuestionMs } = deps.config
  const claimed = await deps.db.transaction((tx) => questions.claimQuestion(tx, rail, creditQuestionMs))
  let found = 0
  let cursor = claimed?.cursor ?? null
  for (let page = 1; claimed && page <= PAGES_AT_ONCE; page += 1) {
    const reply = await creditsSince(cursor, CREDITS_PER_PAGE)
    // Whoever did not answer is asked again at the next time.
    if (reply.state !== 'answered') return found
    const { credits, cursor: to, hasMore } = reply.value
    const isLeft = hasMore && page === PAGES_AT_ONCE
    found += await deps.db.transaction(async (tx) => {
      await questions.moveCursor(tx, rail, { from: cursor, to, hasMore: isLeft })
      return storeAnswers(deps, tx, rail, credits)
    })
    if (!hasMore) return found
    cursor = to
  }
  return claimed ? found + 1 : 0
}

export async function listForCustomer(deps: Deps, organizationId: string, customerId: string) {
  const { id: entityId } = await getCustomer(deps, organizationId, customerId)
  return list(deps, organizationId, { entityType: 'customer', entityId })
}

export async function listForOrganization(deps: Deps, organizationId: string) {
  return list(deps, organizationId, { entityType: 'organization', entityId: organizationId })
}

async function list(deps: Deps, organizationId: string, entity: store.Entity): Promise<VirtualAccount[]> {
  return (await store.listOfEntity(deps.db, organizationId, entity)).map(presentAccount)
}

export async function listCredits(deps: Deps, organizationId: string, id: string, query: CreditQuery) {
  if (!(await store.findVirtualAccount(deps.db, organizationId, id))) throw new Refusal('not_found')
  const { items, pagination } = await store.listCredits(deps.db, organizationId, id, query)
  return { credits: items.map(presentCredit), pagination }
}

const operator = { type: 'operator' } as const

/** Credits a transfer that belonged to nobody to the account of this number, as if it had come for it. */
export async function assignCredit(deps: Deps, noticeId: string, accountNumber: string, note: string | null) {
  return deps.db.transaction(async (tx) => {
    const notice = await lockUnmatchedCredit(tx, noticeId, 'unmatched')
    const listed = await store.findByNumber(tx, accountNumber)
    const rail = (listed.find((one) => one.rail === notice.rail) ?? listed[0])?.rail
    const [account] = rail ? await store.matchNumbers(tx, [{ rail, accountNumber }]) : []
    if (!account) throw new Refusal('not_found', { message: `${accountNumber} is no account of this deployment.` })
    if (notice.notice.amount.currency !== 'NGN')
      throw new Refusal('currency_mismatch', {
        message: 'A virtual account takes naira. Return this transfer instead.',
      })
    await addCredits(deps, tx, [{ notice, account }])
    const { organizationId, virtualAccountId } = account
    await decide(deps, tx, noticeId, { decision: 'assigned', organizationId, note })
    await recordAct(deps, tx, {
      organizationId,
      actor: operator,
      action: 'inbox.assigned',
      resourceType: 'rail_notice',
      resourceId: noticeId,
      changes: changesBetween({}, { virtualAccountId, note }),
    })
    return { organizationId, virtualAccountId }
  })
}

export type Returned = 'returned' | 'unanswered'

/**
 * Sends a transfer that belonged to nobody back. The decision is on record before the provider is asked, and the notice
 * is the return's id: asked again after silence, it is the same return. `isByHand`: it was sent back at the provider.
 */
export async function returnCredit(
  deps: Deps,
  noticeId: string,
  { note, isByHand }: { note: string | null; isByHand: boolean },
): Promise<Returned> {
  const { rail, notice } = await deps.db.transaction(async (tx) => {
    const found = await lockUnmatchedCredit(tx, noticeId, 'unmatched', 'returning')
    await decide(deps, tx, noticeId, { decision: isByHand ? 'returned' : 'return_asked', note })
    return found
  })
  if (isByHand) return 'returned'
  const giveBack = deps.rails.find(rail)?.virtualAccounts?.giveBack
  const { transactionReference, amount } = notice
  const outcome = await (giveBack?.({ returnId: noticeId, transactionReference, amount }) ?? cannotReturn)
  if (outcome.state === 'unknown') return 'unanswered'
  await deps.db.transaction(async (tx) => {
    const isRefused = outcome.state === 'rejected'
    await lockUnmatchedCredit(tx, noticeId, 'returning')
    await decide(deps, tx, noticeId, {
      decision: isRefused ? 'return_refused' : 'returned',
      note: isRefused ? outcome.reason : outcome.railReference,
    })
  })
  if (outcome.state === 'rejected')
    throw new Refusal('return_refused', { message: `The provider does not send it back: ${outcome.reason}.` })
  return 'returned'
}

const cannotReturn = {
  state: 'rejected',
  reason: 'its API has no returns; send it back at the provider, then say --by-hand',
} as const
