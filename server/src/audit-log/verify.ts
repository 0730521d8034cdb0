import { timingSafeEqual } from 'node:crypto'
import type { Finding } from '../audit/finding.ts'
import type { Deps } from '../deps.ts'
import { FIRST_MAC, macOf } from './seal.ts'
import * as store from './store.ts'

const BATCH = 1_000
/** What a spoilt end of the log says is no reason to count for ever. */
const MOST_MISSING = 100

type Walk = { number: bigint; mac: Buffer }

/**
 * Recomputes the chain of an organization's log, batch by batch, up to where it ended when this began: entries are
 * never changed, so nothing has to be held still.
 */
export async function* verifyLog(deps: Deps, organizationId: string): AsyncGenerator<readonly Finding[]> {
  const head = (await store.findHead(deps.db, organizationId)) ?? { entries: 0n, mac: FIRST_MAC }
  const walk: Walk = { number: 0n, mac: FIRST_MAC }
  while (walk.number < head.entries) {
    const rows = await store.readEntries(deps.db, organizationId, walk.number, head.entries, BATCH)
    yield rows.flatMap((row) => findingsOf(deps, walk, row))
    if (rows.length < BATCH) break
  }
  const findings = missingBetween(organizationId, walk.number, head.entries + 1n)
  if (findings.length === 0 && !isSame(walk.mac, head.mac))
    findings.push(finding(organizationId, head.entries, 'it is not what the log ends with'))
  const added = await store.findBeyondHead(deps.db, organizationId)
  yield [
    ...findings,
    ...added.map((number) => finding(organizationId, number, 'it was added behind the end of the log')),
  ]
}

function findingsOf({ secrets }: Deps, walk: Walk, row: store.EntryRow): Finding[] {
  const { organizationId, number, keyId } = row
  const findings = missingBetween(organizationId, walk.number, number)
  // After a gap the entry cannot be checked: what it goes on from is gone with the missing one.
  const isChecked = findings.length === 0
  if (!secrets.knows(keyId)) findings.push(finding(organizationId, number, `there is no master key "${keyId}"`))
  else if (isChecked && !isSame(row.mac, macOf(secrets, walk.mac, row, keyId)))
    findings.push(finding(organizationId, number, 'it was changed, or what stands before it was'))
  walk.number = number
  walk.mac = row.mac
  return findings
}

function missingBetween(organizationId: string, before: bigint, after: bigint): Finding[] {
  const findings: Finding[] = []
  for (let number = before + 1n; number < after && findings.length < MOST_MISSING; number += 1n)
    findings.push(finding(organizationId, number, 'it is missing'))
  return findings
}

function finding(organizationId: string, number: bigint, says: string): Finding {
  return { organizationId, check: 'audit log', subject: `entry ${number}`, says }
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
