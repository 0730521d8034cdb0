import { changesBetween, recordAct, type Act } from '../audit-log/operations.ts'
import type { Tx } from '../db/database.ts'
import type { PageQuery } from '../db/paging.ts'
import type { Deps } from '../deps.ts'
import { envelope } from '../events/envelope.ts'
import { invalid, Refusal } from '../errors.ts'
import type { Actor } from '../http/authentication.ts'
import { firstIdOf } from '../ids.ts'
import { presentDelivery, presentEndpoint, presentItem } from './present.ts'
import { sampleOf } from './sample.ts'
import type { Delivery, DeliveryQuery, Endpoint, EndpointChange, NewEndpoint, ResendMany, TestWish } from './schema.ts'
import { openHeaders, openSecret, sealHeaders, sealSecret } from './secrecy.ts'
import { checkEndpoint } from './settings.ts'
import { newSecret } from './signing.ts'
import * as store from './store.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Most deliveries one call sends again; the next call goes on with the rest. */
const MAX_RESENT = 100_000

export async function createEndpoint(
  deps: Deps,
  organizationId: string,
  actor: Actor,
  wish: NewEndpoint,
): Promise<Endpoint & { secret?: string }> {
  await checkEndpoint(deps, wish)
  const made = wish.secret === undefined ? newSecret() : undefined
  const secret = wish.secret === undefined ? made! : wish.secret
  return deps.db.transaction(async (tx) => {
    const createdAt = deps.now()
    const id = deps.newId(createdAt)
    const key = { organizationId, endpointId: id }
    const row = await store.insertEndpoint(tx, organizationId, {
      id,
      url: wish.url,
      events: wish.events ?? ['*'],
      description: wish.description ?? null,
      secret: secret === null ? null : sealSecret(deps, key, secret),
      signaturePrefix: wish.signaturePrefix ?? 'sha256',
      headers: wish.headers ? sealHeaders(deps, key, wish.headers) : null,
      isActive: wish.isActive ?? true,
      createdAt,
    })
    const endpoint = presentEndpoint(deps, organizationId, row)
    await note(deps, tx, { organizationId, actor, action: 'webhook.created' }, {}, endpoint)
    return { ...endpoint, ...(made && { secret: made }) }
  })
}

export async function listEndpoints(deps: Deps, organizationId: string, query: PageQuery) {
  const { items, pagination } = await store.listEndpoints(deps.db, organizationId, query)
  return { endpoints: items.map((row) => presentEndpoint(deps, organizationId, row)), pagination }
}

export async function getEndpoint(deps: Deps, organizationId: string, id: string): Promise<Endpoint> {
  const row = await store.findEndpoint(deps.db, organizationId, id)
  return presentEndpoint(deps, organizationId, present(row))
}

/** Changes the fields given. Deactivating cancels what waits. */
export async function changeEndpoint(
  deps: Deps,
  organizationId: string,
  actor: Actor,
  id: string,
  wish: EndpointChange,
): Promise<Endpoint> {
  await checkEndpoint(deps, wish)
  return deps.db.transaction(async (tx) => {
    const before = present(await store.lockEndpoint(tx, organizationId, id))
    const key = { organizationId, endpointId: id }
    const at = deps.now()
    const row = await store.updateEndpoint(
      tx,
      organizationId,
      {
        ...before,
        url: wish.url ?? before.url,
        events: wish.events === undefined ? before.events : (wish.events ?? ['*']),
        description: wish.description === undefined ? before.description : wish.description,
        signaturePrefix:
          wish.signaturePrefix === undefined ? before.signaturePrefix : (wish.signaturePrefix ?? 'sha256'),
        headers:
          wish.headers === undefined ? before.headers : wish.headers ? sealHeaders(deps, key, wish.headers) : null,
        isActive: wish.isActive ?? before.isActive,
      },
      at,
    )
    if (before.isActive && !row.isActive) await store.cancelWaiting(tx, organizationId, id, at)
    const endpoint = presentEndpoint(deps, organizationId, row)
    const was = presentEndpoint(deps, organizationId, before)
    await note(deps, tx, { organizationId, actor, action: 'webhook.updated' }, was, endpoint)
    return endpoint
  })
}

/** Takes an endpoint away. Its deliveries stay readable; what waits is cancelled. */
export async function deleteEndpoint(deps: Deps, organizationId: string, actor: Actor, id: string): Promise<Endpoint> {
  return deps.db.transaction(async (tx) => {
    present(await store.lockEndpoint(tx, organizationId, id))
    const at = deps.now()
    const row = await store.deleteEndpoint(tx, organizationId, id, at)
    await store.cancelWaiting(tx, organizationId, id, at)
    const endpoint = presentEndpoint(deps, organizationId, row)
    await note(deps, tx, { organizationId, actor, action: 'webhook.deleted' }, endpoint, endpoint)
    return endpoint
  })
}

export async function rotateSecret(deps: Deps, organizationId: string, actor: Actor, id: string) {
  return deps.db.transaction(async (tx) => {
    const row = present(await store.lockEndpoint(tx, organizationId, id))
    const [secret, rotatedAt] = [newSecret(), deps.now()]
    await store.updateSecret(
      tx,
      organizationId,
      id,
      sealSecret(deps, { organizationId, endpointId: id }, secret),
      rotatedAt,
    )
    const endpoint = presentEndpoint(deps, organizationId, row)
    await note(deps, tx, { organizationId, actor, action: 'webhook.secret_rotated' }, endpoint, endpoint)
    return { id: row.id, secret, rotatedAt: rotatedAt.toISOString() }
  })
}

export async function listDeliveries(deps: Deps, organizationId: string, endpointId: string, query: DeliveryQuery) {
  if (!(await store.findEndpoint(deps.db, organizationId, endpointId))) throw new Refusal('not_found')
  const { items, pagination } = await store.listDeliveries(deps.db, organizationId, endpointId, query, oldestId(deps))
  return { deliveries: items.map(presentItem), pagination }
}

export async function getDelivery(deps: Deps, key: store.DeliveryKey): Promise<Delivery> {
  const row = await store.findDelivery(deps.db, key, oldestId(deps))
  if (!row) throw new Refusal('not_found')
  return presentDelivery(row)
}

/** Asks for one more attempt of a delivery, whatever became of it. */
export async function resendDelivery(deps: Deps, key: store.DeliveryKey): Promise<Delivery> {
  return deps.db.transaction(async (tx) => {
    const found = await store.lockDelivery(tx, key, oldestId(deps))
    if (!found) throw new Refusal('not_found')
    if (found.endpointDeletedAt) throw new Refusal('endpoint_deleted')
    if (found.lane === 'claimed' || found.isManual) throw new Refusal('delivery_in_progress')
    await store.askForAttempt(tx, key, deps.now())
    tx.wake('webhooks')
    return getDelivery({ ...deps, db: tx }, key)
  })
}

/** Asks for one more attempt of everything with a status that was created since an instant. */
export async function resendDeliveries(deps: Deps, organizationId: string, endpointId: string, wish: ResendMany) {
  return deps.db.transaction(async (tx) => {
    const endpoint = await store.lockEndpoint(tx, organizationId, endpointId)
    if (!endpoint) throw new Refusal('not_found')
    if (endpoint.deletedAt) throw new Refusal('endpoint_deleted')
    const since = new Date(wish.since)
    const [from, oldest] = [firstIdOf(new Date(Math.max(0, since.getTime()))), oldestId(deps)]
    const queued = await store.askForAttempts(tx, {
      organizationId,
      endpointId,
      status: wish.status,
      sinceId: from > oldest ? from : oldest,
      since,
      most: MAX_RESENT,
      at: deps.now(),
    })
    if (queued > 0) tx.wake('webhooks')
    return { queued }
  })
}

/** One attempt of an event that nobody else hears of. */
export async function testEndpoint(
  deps: Deps,
  organizationId: string,
  endpointId: string,
  wish: TestWish | undefined,
): Promise<Delivery> {
  const eventType = wish?.eventType ?? undefined
  if (eventType && deps.config.env === 'production')
    throw invalid({ param: 'eventType', message: 'is not a known field here: samples are not sent in production' })
  return deps.db.transaction(async (tx) => {
    present(await store.findEndpoint(tx, organizationId, endpointId))
    const at = deps.now()
    const [eventId, id] = [deps.newId(at), deps.newId(at)]
    const type = eventType ?? 'webhook.test'
    const payload = envelope({ id: eventId, type, at, data: eventType ? sampleOf(deps, eventType) : { endpointId } })
    await store.insertTest(tx, { organizationId, endpointId, id, eventId, type, payload, at })
    tx.wake('webhooks')
    return getDelivery({ ...deps, db: tx }, { organizationId, endpointId, id })
  })
}

/** Seals what is sealed under older master keys with the current one, at most `most` endpoints; answers how many. */
export async function resealEndpoints(deps: Deps, most: number): Promise<number> {
  return deps.db.transaction(async (tx) => {
    const rows = await store.lockSealedByOthers(tx, deps.secrets.sealedBeginning, most)
    await store.updateSealed(
      tx,
      rows.map((row) => ({
        ...row,
        secret: row.secret && sealSecret(deps, row, openSecret(deps, row, row.secret)),
        headers: row.headers && sealHeaders(deps, row, openHeaders(deps, row, row.headers)),
      })),
    )
    return rows.length
  })
}

/** Writes an act down. Neither secrets nor header values are in a presented record, and a URL's query may be one too. */
async function note(
  deps: Deps,
  tx: Tx,
  act: Pick<Act, 'organizationId' | 'actor' | 'action'>,
  before: Partial<Endpoint>,
  after: Endpoint,
): Promise<void> {
  const shown = ({ url, headers, events, description, signaturePrefix, isActive }: Partial<Endpoint>): object => ({
    url: url?.split('?', 1)[0],
    headers: headers && Object.keys(headers),
    events,
    description,
    signaturePrefix,
    isActive,
  })
  await recordAct(deps, tx, {
    ...act,
    resourceType: 'webhook_endpoint',
    resourceId: after.id,
    changes: changesBetween(shown(before), shown(after)),
  })
}

/** A deleted endpoint is as good as none, except to its deliveries. */
function present(row: store.EndpointRow | undefined): store.EndpointRow {
  if (!row || row.deletedAt) throw new Refusal('not_found')
  return row
}

/** Deliveries are kept for the retention time; an id tells its age. */
function oldestId(deps: Deps): string {
  return firstIdOf(new Date(deps.now().getTime() - deps.config.retentionDays * DAY_MS))
}
