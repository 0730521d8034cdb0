import { verifyLog } from '../audit-log/verify.ts'
import type { Deps } from '../deps.ts'
import { auditAccount, type Part } from './accounts.ts'
import { auditCredits } from './credits.ts'
import type { Finding } from './finding.ts'
import { auditTrail } from './histories.ts'
import * as store from './store.ts'
import { trails } from './trails.ts'

/** Where an audit of everything begins, and what stands for all organizations together. */
export const NO_ORGANIZATION = '00000000-0000-0000-0000-000000000000'

export type Audited = { organizations: number; lines: number; findings: Finding[] }

/** Audits one organization's books in bounded parts, so that whoever asks can pause between them. */
export async function* auditInParts(deps: Deps, organizationId: string): AsyncGenerator<Part> {
  const accounts = await store.readAccounts(deps.db, organizationId)
  yield { lines: 0, findings: zeroSums(organizationId, accounts) }
  yield { lines: 0, findings: await wrongStocks(deps, organizationId) }
  for (const account of accounts) {
    // Most accounts were never used; there is nothing in them to walk through.
    if (account.lines > 0n || account.lastLine > 0n || account.debits > 0n || account.credits > 0n)
      yield* auditAccount(deps, account)
  }
  yield { lines: 0, findings: await auditHeld(deps, organizationId) }
  for (const trail of trails) yield* auditTrail(deps, trail, organizationId)
  yield* auditCredits(deps, organizationId)
  for await (const findings of verifyLog(deps, organizationId)) yield { lines: 0, findings }
}

/** Audits one organization's books at once. */
export async function auditOrganization(deps: Deps, organizationId: string): Promise<Finding[]> {
  const findings: Finding[] = []
  for await (const part of auditInParts(deps, organizationId)) findings.push(...part.findings)
  return findings
}

/** Audits all books, one organization after the other. */
export async function auditEverything(deps: Deps, only?: string): Promise<Audited> {
  const audited: Audited = { organizations: 0, lines: 0, findings: [] }
  const next = (after: string) => (only ? undefined : store.nextOrganization(deps.db, after))
  for (let id = only ?? (await next(NO_ORGANIZATION)); id; id = await next(id)) {
    audited.organizations += 1
    for await (const part of auditInParts(deps, id)) {
      audited.lines += part.lines
      audited.findings.push(...part.findings)
    }
  }
  if (!only) audited.findings.push(...(await auditIntercompany(deps)))
  return audited
}

/** What organizations have sent to each other and received from each other is the same. */
export async function auditIntercompany(deps: Deps): Promise<Finding[]> {
  const unbalanced = await store.unbalancedIntercompany(deps.db)
  return unbalanced.map(({ currency, balance }) => ({
    organizationId: NO_ORGANIZATION,
    check: 'intercompany',
    subject: currency,
    says: `the intercompany accounts of all organizations come to ${balance}`,
  }))
}

/** What is held is what open payouts have reserved, to the last minor unit. */
async function auditHeld(deps: Deps, organizationId: string): Promise<Finding[]> {
  const wrong = await store.wrongHolds(deps.db, organizationId)
  return wrong.map(({ currency, held, reserved }) => ({
    organizationId,
    check: 'held',
    subject: currency,
    says: `${held} is held, and open payouts have reserved ${reserved}`,
  }))
}

/** What is pending are executed payments, what is in suspense is before a person: to the last kobo. */
async function wrongStocks(deps: Deps, organizationId: string): Promise<Finding[]> {
  const wrong = await store.readWrongStocks(deps.db, organizationId)
  return wrong.map(({ currency, kind, balance, waiting }) => ({
    organizationId,
    check: 'stock',
    subject: `${currency} ${kind}`,
    says: `the account has ${balance}, what waits in it comes to ${waiting}`,
  }))
}

function zeroSums(organizationId: string, accounts: readonly store.AccountRow[]): Finding[] {
  const sums = new Map<string, bigint>()
  for (const { currency, credits, debits } of accounts)
    sums.set(currency, (sums.get(currency) ?? 0n) + credits - debits)
  return [...sums].flatMap(([currency, sum]) =>
    sum === 0n
      ? []
      : [{ organizationId, check: 'zero sum' as const, subject: currency, says: `all accounts come to ${sum}` }],
  )
}
