import type { Deps } from '../deps.ts'
import { firstIdOf } from '../ids.ts'
import type { Part } from './accounts.ts'
import type { Finding } from './finding.ts'
import * as store from './store.ts'

const ROWS_PER_PART = 500
const DAY_MS = 24 * 60 * 60 * 1000
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** Every credit of a virtual account has its lines and its event, and every such line and event has its credit. */
export async function* auditCredits(deps: Deps, organizationId: string): AsyncGenerator<Part> {
  // Older events are forgotten after the time of retention.
  const oldestEvent = firstIdOf(new Date(deps.now().getTime() - deps.config.retentionDays * DAY_MS))
  const credit = (id: string, check: Finding['check'], says: string): Finding => ({
    organizationId,
    check,
    subject: `virtual_account_credit ${id}`,
    says,
  })
  yield* inParts(
    BEFORE_ALL,
    (after) => store.readCredits(deps.db, organizationId, after, ROWS_PER_PART),
    (row) => faultsOf(row, oldestEvent).map(([check, says]) => credit(row.id, check, says)),
  )
  yield* inParts(
    store.FIRST_CREDIT_KEY,
    (after) => store.readCreditPostings(deps.db, organizationId, after, ROWS_PER_PART),
    ({ id, resourceId, isKnown }) =>
      isKnown ? [] : [credit(resourceId, 'credits', `was posted by ${id}, and there is no such credit`)],
  )
  yield* inParts(
    oldestEvent,
    (after) => store.readCreditEvents(deps.db, organizationId, after, ROWS_PER_PART),
    ({ id, reference, isKnown }) =>
      isKnown
        ? []
        : [
            {
              organizationId,
              check: 'events',
              subject: `event ${id}`,
              says: `announces ${reference}, which is no credit`,
            },
          ],
  )
}

/** Walks through rows in the order of their ids, a bounded part at a time. */
async function* inParts<Row extends { readonly id: string }>(
  first: string,
  read: (after: string) => Promise<Row[]>,
  faults: (row: Row) => readonly Finding[],
): AsyncGenerator<Part> {
  let after = first
  for (;;) {
    const rows = await read(after)
    yield { lines: rows.length, findings: rows.flatMap(faults) }
    if (rows.length < ROWS_PER_PART) return
    after = rows.at(-1)!.id
  }
}

function faultsOf(row: store.AuditedCredit, oldestEvent: string): ['credits' | 'events', string][] {
  const faults: ['credits' | 'events', string][] = []
  const lines = row.feeAmount > 0n ? 2 : 1
  if (row.grossPosted !== row.grossAmount || row.feePosted !== row.feeAmount || row.lines !== lines) {
    const says = `${row.grossAmount} and a fee of ${row.feeAmount}; its ${row.lines} lines say ${row.grossPosted} and ${row.feePosted}`
    faults.push(['credits', says])
  }
  const isForgotten = row.eventType === null && row.eventId < oldestEvent
  if (row.eventType !== 'virtual_account.credited' && !isForgotten)
    faults.push(['events', `was announced by event ${row.eventId}, which is ${row.eventType ?? 'not there'}`])
  return faults
}
