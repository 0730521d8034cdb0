import type { Tx } from '../db/database.ts'
import { badCursor, counted, readPage, writeCursor } from '../db/paging.ts'
import type { Deps } from '../deps.ts'
import { invalid, Refusal } from '../errors.ts'
import { openAccounts } from '../ledger/accounts.ts'
import { post } from '../ledger/post.ts'
import { countLines, readStatement, type StatementLine } from '../ledger/statement.ts'
import { isCurrency, type Currency } from '../money/currencies.ts'
import { amountFaults, parseMajor, toMajor } from '../money/money.ts'
import type { BankAccount } from '../rails/rail.ts'
import { findOwnAccount } from '../virtual-accounts/own-account.ts'
import type { Entry, EntryQuery, Wallet } from './schema.ts'
import * as store from './store.ts'

/** Gives organizations a wallet in every currency of this deployment; those they have stay. */
export async function openWallets(deps: Deps, tx: Tx, organizationIds: readonly string[]): Promise<void> {
  await openAccounts(tx, deps.config.currencies, organizationIds)
  await store.insertWallets(tx, organizationIds, deps.config.currencies, deps.now())
}

/** Opens wallets in currencies that were switched on since an organization was made. */
export async function openMissingWallets(deps: Deps): Promise<void> {
  const missing = await store.findOrganizationsWithoutWallet(deps.db, deps.config.currencies)
  if (missing.length > 0) await deps.db.transaction((tx) => openWallets(deps, tx, missing))
}

export async function listWallets(deps: Deps, organizationId: string): Promise<Wallet[]> {
  const rows = await store.listWallets(deps.db, organizationId, deps.config.currencies)
  const own = await findOwnAccount(deps.db, organizationId)
  return rows.map((row) => present(deps, row, own))
}

export async function getWallet(deps: Deps, organizationId: string, currencyText: string): Promise<Wallet> {
  const row = await store.findWallet(deps.db, organizationId, currencyOf(currencyText))
  if (!row) throw new Refusal('not_found')
  return present(deps, row, await findOwnAccount(deps.db, organizationId))
}

/** The statement: every move of the balance, newest first. */
export async function listEntries(deps: Deps, organizationId: string, currencyText: string, query: EntryQuery) {
  const currency = currencyOf(currencyText)
  const account = { organizationId, currency, kind: 'available' } as const
  const { page, limit, cursor } = readPage(query)
  const total = await countLines(deps.db, account)
  if (total === undefined) throw new Refusal('not_found')
  const newest = cursor === undefined ? total - BigInt((page - 1) * limit) : cursorLine(cursor, total)
  const lines = newest > 0n ? await readStatement(deps.db, account, newest, limit) : []
  const last = lines.at(-1)
  const nextCursor = last && last.number > 1n ? writeCursor(`line:${last.number - 1n}`) : null
  return {
    entries: lines.map((line) => presentEntry(line, currency)),
    pagination: {
      ...(cursor === undefined ? { page, ...counted(Number(total), limit) } : { page: null, pages: null, total: null }),
      limit,
      nextCursor,
    },
  }
}

/** Puts play money into a wallet: no fee, no event, straight to available. */
export async function fundWallet(deps: Deps, organizationId: string, currencyText: string, major: number) {
  const currency = currencyOf(currencyText)
  if (!deps.config.currencies.includes(currency)) throw new Refusal('not_found')
  const amount = parseMajor(major, currency)
  if (typeof amount === 'string') throw invalid({ param: 'amount', message: amountFaults[amount](currency) })
  const at = deps.now()
  const id = deps.newId(at)
  await deps.db.transaction((tx) =>
    post(tx, [
      {
        organizationId,
        key: `sandbox_funding:${id}`,
        resourceType: 'sandbox_funding',
        resourceId: id,
        at,
        lines: [{ currency, debit: 'outside', credit: 'available', amount, kind: 'sandbox_funding' }],
      },
    ]),
  )
  return { id, currency, amount: toMajor(amount, currency) }
}

function currencyOf(text: string): Currency {
  const currency = text.toUpperCase()
  if (!isCurrency(currency)) throw new Refusal('not_found')
  return currency
}

function cursorLine(cursor: string, total: bigint): bigint {
  const match = /^line:(\d{1,18})$/.exec(Buffer.from(cursor, 'base64url').toString())
  if (!match?.[1]) throw badCursor()
  const line = BigInt(match[1])
  return line > total ? total : line
}

/** The organization's own virtual account is one of its naira wallet. */
function present({ config }: Deps, row: store.WalletRow, own: BankAccount | undefined): Wallet {
  const { id, currency, createdAt } = row
  const account = currency === 'NGN' ? own : undefined
  return {
    id,
    currency,
    balance: toMajor(row.balance, currency),
    pendingBalance: toMajor(row.pendingBalance, currency),
    heldBalance: toMajor(row.heldBalance, currency),
    isActive: config.currencies.includes(currency),
    accountNumber: account?.accountNumber ?? null,
    accountName: account?.accountName ?? null,
    bankName: account?.bankName ?? null,
    createdAt: createdAt.toISOString(),
  }
}

function presentEntry(
  { number: _, amount, balanceAfter, createdAt, ...line }: StatementLine,
  currency: Currency,
): Entry {
  return {
    ...(line as Omit<Entry, 'amount' | 'balanceAfter' | 'createdAt'>),
    amount: toMajor(amount, currency),
    balanceAfter: toMajor(balanceAfter, currency),
    createdAt: createdAt.toISOString(),
  }
}
