import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { invalid, Refusal } from '../../errors.ts'
import { envelope } from '../../events/envelope.ts'
import { makerOf, type Actor } from '../../http/authentication.ts'
import type { Currency } from '../../money/currencies.ts'
import { amountFaults, parseMajor } from '../../money/money.ts'
import { shareAccounts, type Beneficiary } from '../../payout-accounts/operations.ts'
import { pricedColumns, pricesOf, type Price } from '../../rates/operations.ts'
import { present } from '../present.ts'
import type { PayoutStatus } from '../states.ts'
import type { NewPayout, PayoutDestination } from '../schema.ts'
import type * as store from '../store.ts'

/** A payout somebody wants. */
export type Request = { readonly organizationId: string; readonly actor: Actor; readonly wish: NewPayout }
/** One that may be made, as far as anybody can say before its money is looked at. */
export type Candidate = Request & { readonly account: Beneficiary; readonly price: Price }

export function isAble<T>(one: T | Refusal): one is T {
  return !(one instanceof Refusal)
}

/** For each request its beneficiary and its price, or the first reason why not. */
export async function findCandidates(
  deps: Deps,
  tx: Tx,
  requests: readonly Request[],
): Promise<(Candidate | Refusal)[]> {
  deps.rails.get('payouts')
  const keys = requests.map(({ organizationId, wish }) => ({ organizationId, id: wish.payoutAccountId.toLowerCase() }))
  const nameOf = ({ organizationId, id }: (typeof keys)[number]) => `${organizationId}/${id}`
  const different = [...new Map(keys.map((key) => [nameOf(key), key])).values()]
  const accounts = new Map((await shareAccounts(tx, different)).map((account) => [nameOf(account), account]))
  const checked = requests.map((request, index) => check(deps, request, accounts.get(nameOf(keys[index]!))))
  const able = checked.filter(isAble)
  const prices = await pricesOf(
    deps,
    tx,
    able.map(({ organizationId, wish, account, sourceCurrency }) => ({
      organizationId,
      kind: 'payout',
      sourceCurrency,
      targetCurrency: account.currency,
      sourceAmount: wish.sourceAmount ?? null,
      targetAmount: wish.targetAmount ?? null,
      quoteId: wish.quoteId ?? null,
    })),
  )
  let next = 0
  return checked.map((one) => {
    if (one instanceof Refusal) return one
    const price = prices[next++]!
    return price instanceof Refusal ? price : { ...one, price }
  })
}

type Checked = Request & { readonly account: Beneficiary; readonly sourceCurrency: Currency }

function check(deps: Deps, request: Request, account: Beneficiary | undefined): Checked | Refusal {
  const { wish } = request
  if (!account) return new Refusal('payout_account_not_found', { param: 'payoutAccountId' })
  const sourceCurrency = wish.sourceCurrency ?? account.currency
  const fault =
    amountFault('sourceAmount', wish.sourceAmount, sourceCurrency) ??
    amountFault('targetAmount', wish.targetAmount, account.currency)
  if (fault) return fault
  if (!account.isActive) return new Refusal('payout_account_inactive', { param: 'payoutAccountId' })
  if (!deps.config.currencies.includes(sourceCurrency)) return new Refusal('currency_mismatch')
  if (account.accountType === 'partnerwallet_wallet' && sourceCurrency !== account.currency)
    return new Refusal('currency_mismatch', {
      param: 'sourceCurrency',
      message: `Partner wallets are paid in their own currency: ${account.currency}.`,
    })
  return { ...request, account, sourceCurrency }
}

/** The schema could not know the currency: the beneficiary says it. */
function amountFault(param: string, major: number | null | undefined, currency: Currency): Refusal | undefined {
  if (major === undefined || major === null) return undefined
  const read = parseMajor(major, currency)
  return typeof read === 'string' ? invalid({ param, message: amountFaults[read](currency) }) : undefined
}

/** Whether the organization wants somebody to approve an amount of this size. */
export function needsApproval(
  { approvalThresholds }: Beneficiary,
  { amount, currency }: { amount: bigint; currency: Currency },
): boolean {
  const threshold = approvalThresholds[currency]
  return threshold !== undefined && amount >= BigInt(threshold)
}

/** The payout as it begins, with the event that announces it. */
export function rowOf(
  deps: Deps,
  { organizationId, actor, wish, account, price }: Candidate,
  requiresApproval: boolean,
): store.NewPayoutRow {
  const createdAt = deps.now()
  const status: PayoutStatus = requiresApproval ? 'pending_approval' : 'pending'
  const eventId = deps.newId(createdAt)
  const row = {
    organizationId,
    id: deps.newId(createdAt),
    eventId,
    reference: wish.reference,
    status,
    failureReason: null,
    waitingReason: null,
    payoutAccountId: account.id,
    destination: snapshot(account),
    ...pricedColumns(price),
    narration: wish.narration ?? null,
    metadata: wish.metadata ?? null,
    requiresApproval,
    approvedBy: null,
    approvedAt: null,
    providerReference: null,
    returnedAt: null,
    returnReason: null,
    returnTransferId: null,
    createdBy: actor.id,
    madeBy: makerOf(actor),
    createdAt,
    updatedAt: createdAt,
    completedAt: null,
    statusHistory: [{ status, at: createdAt.toISOString() }],
  } satisfies Omit<store.NewPayoutRow, 'payload'>
  const data = present(row)
  return { ...row, payload: envelope({ id: eventId, type: 'payout.created', data, at: createdAt }) }
}

/** The beneficiary as it is now: later changes of it change no payout. */
function snapshot(account: Beneficiary): PayoutDestination {
  const { accountType, accountNumber, accountName, bankCode, bankName } = account
  const { institutionId, routingNumber, currency, country } = account
  return {
    accountType,
    accountNumber,
    accountName,
    bankCode,
    bankName,
    institutionId,
    routingNumber,
    currency,
    country,
  }
}
