import type { Db, Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { envelope } from '../events/envelope.ts'
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
  const theirs = new Set(matched.map(({ notice }) => notice))
  return notices.filter((notice) => !theirs.has(notice))
}

/** Those that are for an account of ours. Virtual accounts take naira: other money is nobody's until a person has looked. */
export async function matchCredits(db: Db, notices: readonly CreditNotice[]): Promise<Matched[]> {
  const numberOf = ({ rail, accountNumber }: { rail: string; accountNumber: string }) => `${rail}/${accountNumber}`
  const named = (one: CreditNotice) => ({ rail: one.rail, accountNumber: one.notice.accountNumber })
  const numbers = [...new Map(notices.map(named).map((one) => [numberOf(one), one])).values()]
  const accounts = new Map((await store.matchNumbers(db, numbers)).map((account) => [numberOf(account), account]))
  return notices.flatMap((notice) => {
    const account = accounts.get(numberOf(named(notice)))
    return account && notice.notice.amount.currency === 'NGN' ? [{ notice, account }] : []
  })
}

export type Matched = { readonly notice: CreditNotice; readonly account: store.MatchedAccount }

/** Writes credits with their events, and their lines: one statement each, however many there are. */
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
  const payloads = rows.map((row) =>
    envelope({ id: row.eventId, type: store.CREDITED, data: presentCredited(row), at }),
  )
  const added = await store.insertCredits(tx, rows, payloads, at)
  deps.faultPoint('credits.written')
  // Last: the wallet's row is locked from here to the commit, and every credit of an organization waits for it.
  await post(tx, rows.filter(({ id }) => added.has(id)).map(creditPosting))
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
