import type { Deps } from '../deps.ts'
import { chart } from '../ledger/chart.ts'
import { entryOf, readLines, type WholeLine } from '../ledger/lines.ts'
import { checkSeal, type SealFault } from '../ledger/seal.ts'
import { macOf, readSeals, SEAL_LINES_MAX, sequenceOf, type AccountSeal } from '../ledger/seals.ts'
import type { Finding } from './finding.ts'
import { readSealing, type AccountRow } from './store.ts'

/** What a part of an audit has looked at and found. Each part is bounded. */
export type Part = { readonly lines: number; readonly findings: readonly Finding[] }

/**
 * Recomputes one account from its lines, stretch by stretch: numbers without gaps, balances that follow from each
 * other, counters that are the sums, digests that fit. Lines are never changed, so nothing has to be held still.
 */
export async function* auditAccount(deps: Deps, account: AccountRow): AsyncGenerator<Part> {
  const walk: Walk = { number: 0n, balance: 0n, debits: 0n, credits: 0n, count: 0n, seal: undefined }
  // Past the last line only as far as a seal can reach: what a spoilt seal says is no reason to walk for ever.
  const last = lower(higher(account.lastLine, account.lastSealed), account.lastLine + BigInt(SEAL_LINES_MAX))
  while (walk.number < last) {
    const end = lower(walk.number + BigInt(SEAL_LINES_MAX), last)
    // A stretch ends where a seal ends, so that each seal is compared whole.
    const seals = await readSeals(deps.db, account, walk.number, end)
    const upTo = seals.at(-1)?.lastNumber ?? end
    const lines = await readLines(deps.db, [{ ...account, after: walk.number }], Number(upTo - walk.number))
    yield { lines: lines.length, findings: auditStretch(deps, account, walk, seals, lines, upTo) }
  }
  yield { lines: 0, findings: [...auditCounters(account, walk), ...(await auditSealing(deps, account, walk))] }
}

type Walk = {
  number: bigint
  balance: bigint
  debits: bigint
  credits: bigint
  count: bigint
  seal: AccountSeal | undefined
}

function auditStretch(
  deps: Deps,
  account: AccountRow,
  walk: Walk,
  seals: readonly AccountSeal[],
  lines: readonly WholeLine[],
  upTo: bigint,
): Finding[] {
  const findings = auditSeals(deps, account, walk, seals, lines)
  const named = new Set(findings.map(({ subject }) => subject))
  for (const line of lines) {
    const change = line.isDebit ? -line.amount : line.amount
    const says = faultOf(account, walk, line, change)
    if (says && !named.has(`line ${line.id}`)) findings.push(finding(account, says[0], `line ${line.id}`, says[1]))
    // Goes on from what the line says, so that one fault is told once and not of every line that follows.
    walk.number = line.number
    walk.balance = line.balance
    walk.count += 1n
    if (line.isDebit) walk.debits += line.amount
    else walk.credits += line.amount
  }
  if (walk.number < upTo) {
    const isSealed = (walk.seal?.lastNumber ?? 0n) >= upTo
    if (!isSealed && upTo <= account.lastLine) findings.push(missing(account, walk.number + 1n, upTo))
    walk.number = upTo
  }
  return findings
}

function faultOf(
  account: AccountRow,
  walk: Walk,
  line: WholeLine,
  change: bigint,
): [Finding['check'], string] | undefined {
  const { currency, kind } = account
  const expected = walk.number + 1n
  const isSealed = (walk.seal?.lastNumber ?? 0n) >= line.number
  if (line.number !== expected && !isSealed)
    return ['lines', `is line ${line.number} of ${currency} ${kind}; line ${expected} is not there`]
  if (line.number === expected && line.balance !== walk.balance + change)
    return [
      'lines',
      `leaves ${line.balance} in ${currency} ${kind}; ${walk.balance} before it and its amount come to ${walk.balance + change}`,
    ]
  if (line.balance < 0n && !chart[kind].mayOverdraw)
    return ['overdraft', `leaves ${line.balance} in ${currency} ${kind}`]
  return undefined
}

/** Compares the stretch with its seals; says of each line that does not fit which one it is. */
function auditSeals(
  deps: Deps,
  account: AccountRow,
  walk: Walk,
  seals: readonly AccountSeal[],
  lines: readonly WholeLine[],
): Finding[] {
  if (seals.length === 0) return []
  const entries = new Map(lines.map((line) => [line.number, entryOf(line)]))
  return seals.flatMap((seal) => {
    const before = walk.seal
    walk.seal = seal
    try {
      const faults = checkSeal(macOf(deps.secrets, seal.keyId), sequenceOf(account), before, seal, entries)
      return faults.map((fault) => findingOf(account, fault))
    } catch (error) {
      return [finding(account, 'seals', `seal ${nameOf(account)} ${seal.lastNumber}`, (error as Error).message)]
    }
  })
}

function findingOf(account: AccountRow, { fault, number, id }: SealFault): Finding {
  const where = `line ${number} of ${nameOf(account)}`
  switch (fault) {
    case 'entry_changed':
      return finding(account, 'seals', `line ${id}`, `${where} was changed after it was sealed`)
    case 'entry_missing':
      return finding(account, 'seals', `line ${id}`, `${where} was sealed and is gone`)
    case 'entry_exchanged':
      return finding(account, 'seals', `line ${id}`, `${where} was sealed and another line stands in its place`)
    case 'seal_changed':
      return finding(account, 'seals', `seal ${nameOf(account)} ${number}`, 'the seal was not made by this service')
    case 'seal_missing':
      return finding(account, 'seals', `seal ${nameOf(account)} ${number}`, 'the seal that begins here is gone')
  }
}

function missing(account: AccountRow, from: bigint, upTo: bigint): Finding {
  const lines = from === upTo ? `line ${from} is` : `lines ${from} to ${upTo} are`
  return finding(account, 'lines', `${nameOf(account)} ${from}`, `${lines} not there`)
}

function auditCounters(account: AccountRow, { debits, credits, count }: Walk): Finding[] {
  const findings: Finding[] = []
  if (account.debits !== debits || account.credits !== credits || account.lines !== count) {
    const counted = `${account.debits} debits, ${account.credits} credits, ${account.lines} lines`
    const says = `the account says ${counted}; its lines come to ${debits}, ${credits}, ${count}`
    findings.push(finding(account, 'counters', nameOf(account), says))
  }
  if (account.mayOverdraw !== chart[account.kind].mayOverdraw)
    findings.push(finding(account, 'overdraft', nameOf(account), `may_overdraw is ${account.mayOverdraw}`))
  return findings
}

/** What no seal covers waits in the queue; otherwise seals have been taken away. */
async function auditSealing(deps: Deps, account: AccountRow, walk: Walk): Promise<Finding[]> {
  if ((walk.seal?.lastNumber ?? 0n) >= account.lines) return []
  const { sealed, isQueued } = await readSealing(deps.db, account)
  if (isQueued || sealed >= account.lines) return []
  return [finding(account, 'seals', `seal ${nameOf(account)} ${sealed + 1n}`, 'the seal that begins here is gone')]
}

function lower(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

function higher(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

function nameOf({ currency, kind }: AccountRow): string {
  return `${currency} ${kind}`
}

function finding({ organizationId }: AccountRow, check: Finding['check'], subject: string, says: string): Finding {
  return { organizationId, check, subject, says }
}
