import { timingSafeEqual } from 'node:crypto'
import type { Db } from '../db/database.ts'
import type { Secrets } from '../secrets.ts'
import { FIRST_MAC, macOf } from './seal.ts'
import * as store from './store.ts'

/** An entry of the audit log that is not what was written. */
export type LogFinding = { readonly organizationId: string; readonly number: bigint; readonly says: string }

const BATCH = 1_000

/** Recomputes the chain of one organization's log. Reads one snapshot where `db` is a transaction of that kind. */
export async function verifyLog(db: Db, secrets: Secrets, organizationId: string): Promise<LogFinding[]> {
  const findings: LogFinding[] = []
  const say = (number: bigint, says: string) => findings.push({ organizationId, number, says })
  let [last, before] = [0n, FIRST_MAC]
  for (;;) {
    const rows = await store.entriesAfter(db, organizationId, last, BATCH)
    for (const row of rows) {
      for (let missing = last + 1n; missing < row.number; missing += 1n) say(missing, 'is missing')
      const isChained = row.number === last + 1n
      if (!secrets.knows(row.keyId)) say(row.number, `was sealed under the unknown master key "${row.keyId}"`)
      // After a gap the entry cannot be checked: what it goes on from is gone with the missing one.
      else if (isChained && !isSame(row.mac, macOf(secrets, before, row, row.keyId))) say(row.number, 'was changed')
      ;[last, before] = [row.number, row.mac]
    }
    if (rows.length < BATCH) break
  }
  const head = await store.findHead(db, organizationId)
  for (let missing = last + 1n; missing <= (head?.entries ?? 0n); missing += 1n) say(missing, 'is missing')
  if (head?.entries === last && !isSame(head.mac, before)) say(last, 'is not what the log ends with')
  if ((head?.entries ?? 0n) < last) say((head?.entries ?? 0n) + 1n, 'was added behind the end of the log')
  return findings
}

/** Every log of the deployment. */
export async function verifyLogs(db: Db, secrets: Secrets): Promise<LogFinding[]> {
  const findings: LogFinding[] = []
  for (const organizationId of await store.listLogged(db))
    findings.push(...(await verifyLog(db, secrets, organizationId)))
  return findings
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
