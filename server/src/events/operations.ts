import { dropPartitions, forgetDefaultRows } from '../db/partitions.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import { firstIdOf } from '../ids.ts'
import type { EventQuery } from './schema.ts'
import * as store from './store.ts'

type Envelope = { id: string; type: string; createdAt: string; data: object }

const DAY_MS = 24 * 60 * 60 * 1000

export async function listEvents(deps: Deps, organizationId: string, query: EventQuery) {
  const { items, pagination } = await store.listEvents(deps.db, organizationId, query, oldestId(deps))
  return { events: items.map(read), pagination }
}

export async function getEvent(deps: Deps, organizationId: string, id: string): Promise<Envelope> {
  const event = await store.findEvent(deps.db, organizationId, id, oldestId(deps))
  if (!event) throw new Refusal('not_found')
  return read(event)
}

/** Drops whole months that are past the retention time, and rows that came to stand in none: events, deliveries, attempts. */
export async function forgetEvents(deps: Deps, most: number): Promise<number> {
  const before = new Date(deps.now().getTime() - deps.config.retentionDays * DAY_MS)
  await dropPartitions(deps.db, before)
  return forgetDefaultRows(deps.db, before, most)
}

/** Events are kept for the retention time; an id tells its age. */
function oldestId(deps: Deps): string {
  return firstIdOf(new Date(deps.now().getTime() - deps.config.retentionDays * DAY_MS))
}

function read({ payload }: store.EventRow): Envelope {
  return JSON.parse(payload) as Envelope
}
