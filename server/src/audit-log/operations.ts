import type { Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import type { Actor } from '../http/authentication.ts'
import type { OperationId } from '../http/permissions.ts'
import type { AuditAction } from './actions.ts'
import type { AuditEntry, AuditQuery } from './schema.ts'
import { FIRST_MAC, macOf, type SealedEntry } from './seal.ts'
import * as store from './store.ts'

/** Somebody at the command line of the deployment. */
export type Operator = { readonly type: 'operator' }

/** By field, what was and what is. Never a secret, never a hash of one. */
export type Changes = Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>

export type Act = {
  readonly organizationId: string
  readonly actor: Actor | Operator
  /** One of the catalogue, or the operation itself for writes of members that have no name of their own there. */
  readonly action: AuditAction | OperationId
  readonly resourceType: string
  readonly resourceId: string
  readonly changes?: Changes
}

/**
 * Writes an act down in the transaction that does it. Call it last: it locks the end of the organization's log, and
 * whoever holds that lock should have nothing left to wait for.
 */
export async function recordAct(deps: Deps, tx: Tx, act: Act): Promise<void> {
  deps.onAct?.()
  const { organizationId, actor, action, resourceType, resourceId, changes = {} } = act
  const at = deps.now()
  const { number, before } = await store.takeNumber(tx, organizationId, FIRST_MAC)
  const entry: SealedEntry = {
    organizationId,
    id: deps.newId(at),
    number,
    at,
    ...describe(actor),
    action,
    resourceType,
    resourceId,
    changes: JSON.stringify(changes),
  }
  await store.appendEntry(tx, entry, macOf(deps.secrets, before, entry), deps.secrets.keyId)
}

/**
 * Runs a write of a member and writes it down where the operation has not done so itself: in the same transaction
 * under an Idempotency-Key, else right after. What matters most (keys, secrets, roles, thresholds, decisions) is
 * recorded by its operation, in the commit that does it.
 */
export async function witness<T>(
  deps: Deps,
  act: Omit<Act, 'resourceId'>,
  write: (deps: Deps) => Promise<T>,
): Promise<T> {
  let isRecorded = false
  const answer = await write({ ...deps, onAct: () => (isRecorded = true) })
  if (isRecorded) return answer
  const { id } = ((answer as { data?: unknown })?.data ?? {}) as { id?: unknown }
  const resourceId = typeof id === 'string' ? id : act.organizationId
  await deps.db.transaction((tx) => recordAct(deps, tx, { ...act, resourceId }))
  return answer
}

function describe(actor: Actor | Operator): Pick<SealedEntry, 'actorType' | 'actorId' | 'actorLabel' | 'ip'> {
  if (actor.type === 'operator') return { actorType: 'operator', actorId: null, actorLabel: null, ip: null }
  const actorLabel = actor.type === 'member' ? actor.email : null
  return { actorType: actor.type, actorId: actor.id, actorLabel, ip: actor.ip }
}

/** The fields that differ between two states of a record, for `changes`. */
export function changesBetween<T extends object>(before: Partial<T>, after: Partial<T>): Changes {
  const names = Object.keys({ ...before, ...after }) as (keyof T & string)[]
  const isDifferent = (name: keyof T) => JSON.stringify(before[name]) !== JSON.stringify(after[name])
  return Object.fromEntries(
    names.filter(isDifferent).map((name) => [name, { from: before[name] ?? null, to: after[name] ?? null }]),
  )
}

export async function listAuditEntries(deps: Deps, organizationId: string, query: AuditQuery) {
  const { items, pagination } = await store.listEntries(deps.db, organizationId, query)
  return { auditEntries: items.map(present), pagination }
}

function present(row: store.EntryRow): AuditEntry {
  const { id, at, action, resourceType, resourceId, ip, changes } = row
  return {
    id,
    at: at.toISOString(),
    actor: { type: row.actorType, id: row.actorId, email: row.actorLabel },
    action,
    resourceType,
    resourceId,
    ip,
    changes: JSON.parse(changes) as AuditEntry['changes'],
  }
}
