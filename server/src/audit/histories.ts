import type { Deps } from '../deps.ts'
import { firstIdOf } from '../ids.ts'
import type { Part } from './accounts.ts'
import type { Finding } from './finding.ts'
import { readTrail, type TrailRow } from './store.ts'
import { SILENT, type Trail } from './trails.ts'

const RESOURCES_PER_PART = 500
const DAY_MS = 24 * 60 * 60 * 1000
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** Follows every resource of a trail: each status reached by a legal move, written down once, announced as it should be. */
export async function* auditTrail(deps: Deps, trail: Trail, organizationId: string): AsyncGenerator<Part> {
  // Older events are forgotten after the time of retention.
  const oldestEvent = firstIdOf(new Date(deps.now().getTime() - deps.config.retentionDays * DAY_MS))
  let after = BEFORE_ALL
  for (;;) {
    const rows = await readTrail(deps.db, trail.table, organizationId, after, RESOURCES_PER_PART)
    const findings = rows.flatMap((row) =>
      faultsOf(trail, row, oldestEvent).map(([check, says]): Finding => ({
        organizationId,
        check,
        subject: `${trail.resourceType} ${row.id}`,
        says,
      })),
    )
    yield { lines: rows.length, findings }
    if (rows.length < RESOURCES_PER_PART) return
    after = rows.at(-1)!.id
  }
}

type Fault = ['history' | 'events', string]

function faultsOf(trail: Trail, { status, history }: TrailRow, oldestEvent: string): Fault[] {
  const faults: Fault[] = []
  let before: string | undefined
  for (const [index, [number, reached, eventId, eventType]] of history.entries()) {
    const moves = before === undefined ? trail.beginnings : (trail.moves[before] ?? {})
    const told = moves[reached]
    if (number !== index + 1) faults.push(['history', `entry ${index + 1} of its history is not there`])
    if (told === undefined) faults.push(['history', `it came from ${before ?? 'nothing'} to ${reached}`])
    else if (told === SILENT && eventId !== null) faults.push(['events', `${reached} was announced and should not be`])
    else if (told !== SILENT && eventId === null) faults.push(['events', `${reached} was never announced`])
    else if (told !== SILENT && eventType !== told && (eventType !== null || eventId! >= oldestEvent))
      faults.push(['events', `${reached} was announced by event ${eventId}, which is ${eventType ?? 'not there'}`])
    before = reached
  }
  if (before !== status)
    faults.push(['history', `its status is ${status}, its history ends with ${before ?? 'nothing'}`])
  return faults
}
