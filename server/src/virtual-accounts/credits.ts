import type { Db, Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { emit } from '../events/emit.ts'
import { post, type Posting } from '../ledger/post.ts'
import { feeRules } from '../money/fees.ts'
import { withhold } from '../money/money.ts'
import type { NoticeHandler, NoticeOf } from '../rails/inbox/operations.ts'
import { presentCredited, referenceOf } from './present.ts'
import * as store from './store.ts'

type CreditNotice = NoticeOf<'virtual_account_credit'>

/** Credits what arrived in virtual accounts: many at once, each once. What belongs to nobody is left unmatched. */
export const applyCredits: NoticeHandler<'virtual_account_credit'> = async (deps, tx, notices) => {
  const matched = await matchCredits(tx, notices)
  await addCredits(deps, tx, matched)
  const owners = new Map(matched.map(({ notice, account }) => [notice.id, account.organizationId]))
  return notices.map(({ id }) => {
    const organizationId = owners.get(id)
    return organizationId
      ? { id, organizationId, status: 'applied' as const }
      : { id, organizationId: null, status: 'unmatched' as const }
  })
}

/** Those that are for an account of ours. Virtual accounts take naira: other money is nobody's until a person has looked. */
export async function matchCredits(db: Db, notices: readonly CreditNotice[]): Promise<Matched[]> {
  const found = await store.matchNumbers(
    db,
    notices.map(({ rail }) => rail),
    notices.map(({ notice }) => notice.accountNumber),
  )
  const accounts = new Map(found.map((account) => [account.index, account]))
  return notices.flatMap((notice, index) => {
    const account = accounts.get(index)
    return account && notice.notice.amount.currency === 'NGN' ? [{ notice, account }] : []
  })
}

export type Matched = { readonly notice: CreditNotice; readonly account: Omit<store.MatchedAccount, 'index'> }

/** Writes credits, their lines and their events: one statement each, however many there are. */
export async function addCredits(deps: Deps, tx: Tx, matched: readonly Matched[]): Promise<void> {
  if (matched.length === 0) return
  const at = deps.now()
  const rule = feeRules(deps.config).virtualAccountCredit
  const rows = matched.map(({ notice: { rail, notice }, account }): store.ListedCredit => {
    const { fee, net } = withhold(notice.amount, rule)
    return {
      ...account,
      id: deps.newId(at),
      rail,
      transactionReference: notice.transactionReference,
      accountNumber: notice.accountNumber,
      grossAmount: notice.amount.amount,
      feeAmount: fee.amount,
      netAmount: net.amount,
      currency: notice.amount.currency,
      payerName: notice.payerName,
      payerEmail: notice.payerEmail,
      eventId: deps.newId(at),
      createdAt: at,
    }
  })
  const added = await store.insertCredits(tx, rows)
  const credits = rows.filter(({ id }) => added.has(id))
  await emit(
    tx,
    credits.map((row) => ({
      organizationId: row.organizationId,
      id: row.eventId,
      type: 'virtual_account.credited' as const,
      data: presentCredited(row),
      at,
    })),
  )
  deps.faultPoint('credits.written')
  // Last: the wallet's row is locked from here to the commit, and every credit of an organization waits for it.
  await post(tx, credits.map(creditPosting))
  deps.faultPoint('credits.posted')
}

/** Gross in, fee out. docs/recipes/virtual-account-credit.md shows the lines with numbers. */
function creditPosting(row: store.ListedCredit): Posting {
  const { organizationId, id, currency, grossAmount, feeAmount, createdAt } = row
  return {
    organizationId,
    key: `virtual_account_credit:${id}`,
    resourceType: 'virtual_account_credit',
    resourceId: id,
    reference: referenceOf(row),
    description: row.payerName,
    at: createdAt,
    lines: [
      { currency, debit: 'outside', credit: 'available', amount: grossAmount, kind: 'virtual_account_credit' },
      { currency, debit: 'available', credit: 'fees', amount: feeAmount, kind: 'virtual_account_fee' },
    ],
  }
}
