import type { Db } from '../db/database.ts'
import { createdConditions, listPage, type Page } from '../db/paging.ts'
import { sql } from '../db/sql.ts'
import type { EventQuery } from './schema.ts'

export type EventRow = { id: string; payload: string }

export function listEvents(
  db: Db,
  organizationId: string,
  query: EventQuery,
  oldestId: string,
): Promise<Page<EventRow>> {
  return listPage(
    db,
    { columns: 'id, payload', from: 'events', id: 'id' },
    [
      { text: 'organization_id = ?', value: organizationId },
      { text: 'id >= ?', value: oldestId },
      { text: 'is_test = ?', value: false },
      ...(query.type === undefined ? [] : [{ text: 'type = ?', value: query.type }]),
      ...createdConditions(query, 'id'),
    ],
    query,
  )
}

const findEventSql = sql<EventRow>`
  select id, payload from events where organization_id = $1 and id = $2 and id >= $3 and not is_test`

export function findEvent(db: Db, organizationId: string, id: string, oldestId: string): Promise<EventRow | undefined> {
  return db.maybe(findEventSql, [organizationId, id, oldestId])
}
