import type { Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import type { Actor } from '../http/authentication.ts'
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
  readonly action: AuditAction
  readonly resourceType: string
  readonly resourceId: string
  readonly changes?: Changes
}

/**
 * Writes an act down in the transaction that does it. Call it last: it locks the end of the organization's log, and
 * whoever holds that lock should have nothing left to wait for.
 */
export async function recordAct(deps: Deps, tx: Tx, act: Act): Promise<void> {
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
    action: action as AuditAction,
    resourceType,
    resourceId,
    ip,
    changes: JSON.parse(changes) as AuditEntry['changes'],
  }
}
