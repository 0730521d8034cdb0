import type { Deps } from '../deps.ts'
import type { Delivery, DeliveryItem, Endpoint } from './schema.ts'
import { openHeaders } from './secrecy.ts'
import type { AttemptRow, DeliveryRow, EndpointRow } from './store.ts'

const MASK = '********'

/** The record as callers see it: whether there is a secret, never the secret; which headers, never their values. */
export function presentEndpoint(deps: Deps, organizationId: string, row: EndpointRow): Endpoint {
  const headers = openHeaders(deps, { organizationId, endpointId: row.id }, row.headers)
  return {
    id: row.id,
    url: row.url,
    events: row.events,
    description: row.description,
    hasSigningSecret: row.secret !== null,
    signaturePrefix: row.signaturePrefix,
    headers: Object.fromEntries(Object.keys(headers).map((name) => [name, MASK])),
    isActive: row.isActive,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    lastSuccessAt: row.lastSuccessAt?.toISOString() ?? null,
    lastFailureAt: row.lastFailureAt?.toISOString() ?? null,
    consecutiveFailures: row.consecutiveFailures,
  }
}

export function presentItem(row: DeliveryRow): DeliveryItem {
  return {
    ...row,
    nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    completedAt: row.completedAt?.toISOString() ?? null,
  }
}

export function presentDelivery(row: DeliveryRow & { payload: string; attempts: AttemptRow[] }): Delivery {
  const { attempts, payload, ...item } = row
  return {
    ...presentItem(item),
    attempts: attempts.map((attempt) => ({ ...attempt, at: attempt.at.toISOString() })),
    payload,
  }
}
