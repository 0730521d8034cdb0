import type { Db, Tx } from '../db/database.ts'
import { createdConditions, listPage, type Page, type PageQuery } from '../db/paging.ts'
import { sql } from '../db/sql.ts'
import type { DeliveryQuery } from './schema.ts'
import type { SignaturePrefix } from './signing.ts'
import type { DeliveryStatus } from './states.ts'

export type EndpointRow = {
  id: string
  url: string
  events: string[]
  description: string | null
  secret: string | null
  signaturePrefix: SignaturePrefix
  headers: string | null
  isActive: boolean
  consecutiveFailures: number
  lastSuccessAt: Date | null
  lastFailureAt: Date | null
  createdAt: Date
  updatedAt: Date
  deletedAt: Date | null
}

const endpointColumns = `
  id, url, events, description, secret, signature_prefix as "signaturePrefix", headers, is_active as "isActive",
  consecutive_failures as "consecutiveFailures", last_success_at as "lastSuccessAt", last_failure_at as "lastFailureAt",
  created_at as "createdAt", updated_at as "updatedAt", deleted_at as "deletedAt"`

const insertEndpointSql = sql<EndpointRow>`
  insert into webhook_endpoints (organization_id, id, url, events, description, secret, signature_prefix, headers, is_active, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10) returning ${endpointColumns}`

export type NewEndpointRow = Pick<
  EndpointRow,
  'id' | 'url' | 'events' | 'description' | 'secret' | 'signaturePrefix' | 'headers' | 'isActive' | 'createdAt'
>

export function insertEndpoint(tx: Tx, organizationId: string, row: NewEndpointRow): Promise<EndpointRow> {
  return tx.one(insertEndpointSql, [
    organizationId,
    row.id,
    row.url,
    row.events,
    row.description,
    row.secret,
    row.signaturePrefix,
    row.headers,
    row.isActive,
    row.createdAt,
  ])
}

const findEndpointSql = sql<EndpointRow>`
  select ${endpointColumns} from webhook_endpoints where organization_id = $1 and id = $2`

/** Also a deleted one: its deliveries stay readable. */
export function findEndpoint(db: Db, organizationId: string, id: string): Promise<EndpointRow | undefined> {
  return db.maybe(findEndpointSql, [organizationId, id])
}

const lockEndpointSql = sql<EndpointRow>`
  select ${endpointColumns} from webhook_endpoints where organization_id = $1 and id = $2 for no key update`

export function lockEndpoint(tx: Tx, organizationId: string, id: string): Promise<EndpointRow | undefined> {
  return tx.maybe(lockEndpointSql, [organizationId, id])
}

export function listEndpoints(db: Db, organizationId: string, query: PageQuery): Promise<Page<EndpointRow>> {
  return listPage(
    db,
    { columns: endpointColumns, from: 'webhook_endpoints', id: 'id' },
    [
      { text: 'organization_id = ?', value: organizationId },
      { text: '(deleted_at is null) = ?', value: true },
    ],
    query,
  )
}

const updateEndpointSql = sql<EndpointRow>`
  update webhook_endpoints
     set url = $3, events = $4, description = $5, signature_prefix = $6, headers = $7, is_active = $8, updated_at = $9
   where organization_id = $1 and id = $2 returning ${endpointColumns}`

export function updateEndpoint(tx: Tx, organizationId: string, row: EndpointRow, at: Date): Promise<EndpointRow> {
  return tx.one(updateEndpointSql, [
    organizationId,
    row.id,
    row.url,
    row.events,
    row.description,
    row.signaturePrefix,
    row.headers,
    row.isActive,
    at,
  ])
}

const updateSecretSql = sql`
  update webhook_endpoints set secret = $3, updated_at = $4 where organization_id = $1 and id = $2`

export async function updateSecret(tx: Tx, organizationId: string, id: string, secret: string, at: Date) {
  await tx.many(updateSecretSql, [organizationId, id, secret, at])
}

const deleteEndpointSql = sql<EndpointRow>`
  update webhook_endpoints set is_active = false, deleted_at = $3, updated_at = $3
   where organization_id = $1 and id = $2 returning ${endpointColumns}`

export function deleteEndpoint(tx: Tx, organizationId: string, id: string, at: Date): Promise<EndpointRow> {
  return tx.one(deleteEndpointSql, [organizationId, id, at])
}

const cancelSql = sql`
  update webhook_deliveries
     set status = case when status = 'pending' then 'cancelled' else status end,
         completed_at = case when status = 'pending' then $3 else completed_at end,
         next_attempt_at = null, manual_requested_at = null, lane = null, due_at = null
   where organization_id = $1 and endpoint_id = $2 and lane in ('first', 'retry', 'parked', 'aside')`

/** Cancels what waits. What is under way ends by itself, and is not tried again. */
export async function cancelWaiting(tx: Tx, organizationId: string, endpointId: string, at: Date): Promise<void> {
  await tx.many(cancelSql, [organizationId, endpointId, at])
}

export type DeliveryRow = {
  id: string
  endpointId: string
  eventId: string
  eventType: string
  status: DeliveryStatus
  attemptCount: number
  nextAttemptAt: Date | null
  createdAt: Date
  completedAt: Date | null
}

const deliveryColumns = `
  d.id, d.endpoint_id as "endpointId", d.event_id as "eventId", d.event_type as "eventType", d.status,
  d.attempt_count as "attemptCount", d.next_attempt_at as "nextAttemptAt", d.created_at as "createdAt", d.completed_at as "completedAt"`

export function listDeliveries(
  db: Db,
  organizationId: string,
  endpointId: string,
  query: DeliveryQuery,
  oldestId: string,
): Promise<Page<DeliveryRow>> {
  return listPage(
    db,
    { columns: deliveryColumns, from: 'webhook_deliveries d', id: 'd.id' },
    [
      { text: 'd.organization_id = ?', value: organizationId },
      { text: 'd.endpoint_id = ?', value: endpointId },
      { text: 'd.id >= ?', value: oldestId },
      ...(query.status === undefined ? [] : [{ text: 'd.status = ?', value: query.status }]),
      ...(query.eventType === undefined ? [] : [{ text: 'd.event_type = ?', value: query.eventType }]),
      ...createdConditions(query, 'd.id'),
    ],
    query,
  )
}

export type AttemptRow = {
  number: number
  trigger: 'automatic' | 'manual'
  at: Date
  durationMs: number
  responseStatus: number | null
  responseBody: string | null
  error: string | null
}

export type DeliveryKey = { readonly organizationId: string; readonly endpointId: string; readonly id: string }

const findDeliverySql = sql<DeliveryRow & { payload: string }>`
  select ${deliveryColumns}, e.payload
    from webhook_deliveries d join events e on e.organization_id = d.organization_id and e.id = d.event_id
   where d.organization_id = $1 and d.endpoint_id = $2 and d.id = $3 and d.id >= $4`

const attemptsSql = sql<AttemptRow>`
  select number, trigger, at, duration_ms as "durationMs", response_status as "responseStatus", response_body as "responseBody", error
    from webhook_attempts where organization_id = $1 and delivery_id = $2 order by number`

/** One delivery with its attempts and the bytes that are sent. */
export async function findDelivery(db: Db, key: DeliveryKey, oldestId: string) {
  const delivery = await db.maybe(findDeliverySql, [key.organizationId, key.endpointId, key.id, oldestId])
  return delivery && { ...delivery, attempts: await db.many(attemptsSql, [key.organizationId, key.id]) }
}

const lockDeliverySql = sql<{ lane: string | null; isManual: boolean; endpointDeletedAt: Date | null }>`
  select d.lane, d.manual_requested_at is not null as "isManual", w.deleted_at as "endpointDeletedAt"
    from webhook_deliveries d join webhook_endpoints w on w.organization_id = d.organization_id and w.id = d.endpoint_id
   where d.organization_id = $1 and d.endpoint_id = $2 and d.id = $3 and d.id >= $4 for no key update of d`

export function lockDelivery(tx: Tx, key: DeliveryKey, oldestId: string) {
  return tx.maybe(lockDeliverySql, [key.organizationId, key.endpointId, key.id, oldestId])
}

const askForAttemptSql = sql`
  update webhook_deliveries set manual_requested_at = $4, due_at = $4, lane = 'first'
   where organization_id = $1 and endpoint_id = $2 and id = $3`

/** Queues one manual attempt; status and schedule stay as they are. */
export async function askForAttempt(tx: Tx, key: DeliveryKey, at: Date): Promise<void> {
  await tx.many(askForAttemptSql, [key.organizationId, key.endpointId, key.id, at])
}

// The first ten go into the open lane, the others are parked behind them: a hundred thousand at once are nobody else's delay.
const askForAttemptsSql = sql<{ queued: number }>`
  with chosen as (
    select organization_id, id, row_number() over (order by id) as place from (
      select organization_id, id from webhook_deliveries
       where organization_id = $1 and endpoint_id = $2 and status = $3 and id >= $4 and created_at >= $5 and lane is null
       order by id limit $6 for no key update skip locked) d
  ), asked as (
    update webhook_deliveries d
       set manual_requested_at = $7, due_at = $7, lane = case when c.place <= 10 then 'first' else 'parked' end
      from chosen c where d.organization_id = c.organization_id and d.id = c.id
    returning c.place
  ), hinted as (
    update webhook_endpoints set is_congested = true
     where organization_id = $1 and id = $2 and (select max(place) from asked) > 10
  )
  select count(*)::integer as queued from asked`

export type Wish = {
  readonly organizationId: string
  readonly endpointId: string
  readonly status: DeliveryStatus
  readonly sinceId: string
  readonly since: Date
  readonly most: number
  readonly at: Date
}

export async function askForAttempts(tx: Tx, wish: Wish): Promise<number> {
  const { organizationId, endpointId, status, sinceId, since, most, at } = wish
  return (await tx.one(askForAttemptsSql, [organizationId, endpointId, status, sinceId, since, most, at])).queued
}

const insertTestSql = sql`
  with event as (
    insert into events (organization_id, id, type, payload, is_test, created_at) values ($1, $2, $3, $4, true, $5)
  )
  insert into webhook_deliveries (organization_id, id, endpoint_id, event_id, event_type, is_single, next_attempt_at, created_at, lane, due_at)
  values ($1, $6, $7, $2, $3, true, $5, $5, 'first', $5)`

export type TestRow = DeliveryKey & {
  readonly eventId: string
  readonly type: string
  readonly payload: string
  readonly at: Date
}

/** An event nobody else hears of, and its one delivery. */
export async function insertTest(tx: Tx, row: TestRow): Promise<void> {
  await tx.many(insertTestSql, [row.organizationId, row.eventId, row.type, row.payload, row.at, row.id, row.endpointId])
}

const secretsAtSql = sql<{ organizationId: string; endpointId: string; secret: string }>`
  select organization_id as "organizationId", id as "endpointId", secret from webhook_endpoints
   where right(url, length($1)) = $1 and secret is not null and deleted_at is null limit 100`

/** The secrets of all endpoints whose URL ends so. */
export function findSecretsAt(db: Db, ending: string) {
  return db.many(secretsAtSql, [ending])
}

export type SealedRow = { organizationId: string; endpointId: string; secret: string | null; headers: string | null }

const sealedByOthersSql = sql<SealedRow>`
  select organization_id as "organizationId", id as "endpointId", secret, headers from webhook_endpoints
   where secret not like $1 or headers not like $1 order by organization_id, id limit $2 for update`

/** Endpoints with something sealed under another master key than the one named by this beginning. */
export function lockSealedByOthers(tx: Tx, beginning: string, most: number): Promise<SealedRow[]> {
  return tx.many(sealedByOthersSql, [`${beginning}%`, most])
}

const resealSql = sql`
  update webhook_endpoints w set secret = s.secret, headers = s.headers
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) as s (organization_id, id, secret, headers)
   where w.organization_id = s.organization_id and w.id = s.id`

export async function updateSealed(tx: Tx, rows: readonly SealedRow[]): Promise<void> {
  const column = (name: keyof SealedRow) => rows.map((row) => row[name])
  await tx.many(resealSql, (['organizationId', 'endpointId', 'secret', 'headers'] as const).map(column))
}
