import type { Deps } from '../deps.ts'
import { invalid, Refusal } from '../errors.ts'
import { amountFaults, parseMajor } from '../money/money.ts'
import { commandProvider, noticeUrlOf } from '../sandbox/provider.ts'
import type { SandboxCredit } from './schema.ts'
import * as store from './store.ts'

/** Where a number that nobody gave out is paid into. */
const ANY_PROVIDER = 'providerB'

/**
 * Lets somebody in the outside world pay into an account. A number that was never given out can be paid into too, and
 * the money then belongs to nobody; another organization's cannot.
 */
export async function creditVirtualAccount(
  deps: Deps,
  organizationId: string,
  accountNumber: string,
  { amount, customerName, customerEmail, transactionReference }: SandboxCredit,
) {
  const read = parseMajor(amount, 'NGN')
  if (typeof read === 'string') throw invalid({ param: 'amount', message: amountFaults[read]('NGN') })
  if (!/^\d{10}$/.test(accountNumber)) throw new Refusal('not_found')
  const [listed] = await store.findByNumber(deps.db, accountNumber)
  if (listed && listed.organizationId !== organizationId) throw new Refusal('not_found')
  const provider = listed?.rail ?? ANY_PROVIDER
  const taken = await commandProvider<{ transactionReference: string }>(
    deps,
    `/virtual-accounts/${accountNumber}/credits`,
    {
      provider,
      amount: { value: amount, currency: 'NGN' },
      payerName: customerName,
      payerEmail: customerEmail,
      transactionReference,
      noticeUrl: await noticeUrlOf(deps, provider),
    },
  )
  return { accountNumber, amount, transactionReference: taken.transactionReference }
}
