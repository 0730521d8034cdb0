import { parseArgs } from 'node:util'
import { toMajorText } from '../money/money.ts'
import { listUnmatched } from '../rails/inbox/operations.ts'
import { assignCredit, returnCredit } from '../virtual-accounts/operations.ts'
import { say, UsageError } from './output.ts'
import { withCore } from './with-core.ts'

const idShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** kolo inbox list [--json]: what providers told us and nobody could be found for. */
export async function inboxList(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { json: { type: 'boolean' } } })
  const notices = (await withCore(({ deps }) => listUnmatched(deps))).map(({ notice, ...row }) => ({
    ...row,
    receivedAt: row.receivedAt.toISOString(),
    ...(notice?.kind === 'virtual_account_credit' && {
      accountNumber: notice.accountNumber,
      transactionReference: notice.transactionReference,
      amount: toMajorText(notice.amount.amount, notice.amount.currency),
      currency: notice.amount.currency,
      payerName: notice.payerName,
    }),
  }))
  if (values.json) return say(JSON.stringify(notices))
  if (notices.length === 0) return say('Nothing waits for a person.')
  for (const { id, rail, kind, status, receivedAt, error, ...credit } of notices) {
    const what = credit.amount
      ? `${credit.amount} ${credit.currency} into ${credit.accountNumber}, transaction ${credit.transactionReference}${credit.payerName ? `, from ${credit.payerName}` : ''}`
      : `${kind}${error ? `: ${error}` : ''}`
    say(`${id}  ${status}  ${rail}  ${receivedAt}  ${what}`)
  }
}

/** kolo inbox assign --id ID --account NUMBER [--note N] [--json] */
export async function inboxAssign(args: string[]): Promise<void> {
  const options = { id: { type: 'string' }, account: { type: 'string' }, note: { type: 'string' } } as const
  const { values } = parseArgs({ args, options: { ...options, json: { type: 'boolean' } } })
  const { id, account, note } = values
  if (!id || !idShape.test(id) || !account)
    throw new UsageError('kolo inbox assign --id <notice id> --account <account number> [--note "why"] [--json]')
  const assigned = await withCore(({ deps }) => assignCredit(deps, id, account, note ?? null))
  if (values.json) return say(JSON.stringify({ id, status: 'applied', ...assigned }))
  say(`The transfer is credited to the account ${account} of the organization ${assigned.organizationId}.`)
}

/** kolo inbox return --id ID [--by-hand] [--note N] [--json] */
export async function inboxReturn(args: string[]): Promise<void> {
  const options = { id: { type: 'string' }, 'by-hand': { type: 'boolean' }, note: { type: 'string' } } as const
  const { values } = parseArgs({ args, options: { ...options, json: { type: 'boolean' } } })
  const { id, note } = values
  if (!id || !idShape.test(id))
    throw new UsageError('kolo inbox return --id <notice id> [--by-hand] [--note "why"] [--json]')
  const isByHand = values['by-hand'] === true
  const outcome = await withCore(({ deps }) => returnCredit(deps, id, { note: note ?? null, isByHand }))
  const status = outcome === 'returned' ? 'returned' : 'returning'
  if (values.json) return say(JSON.stringify({ id, status }))
  say(
    outcome === 'returned'
      ? 'The transfer is on its way back to its payer.'
      : 'The provider does not answer. Run the same command again: it asks for the same return, not for another one.',
  )
}
