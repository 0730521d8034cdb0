import { recordAct, type Operator } from '../audit-log/operations.ts'
import type { Tx } from '../db/database.ts'
import type { PageQuery } from '../db/paging.ts'
import type { Deps } from '../deps.ts'
import { invalid, Refusal } from '../errors.ts'
import { makerOf, type Actor } from '../http/authentication.ts'
import { CREDENTIALS } from '../http/brief-memory.ts'
import { scopesToGive } from '../http/permissions.ts'
import { hashApiKey, keyPrefix, makeApiKey } from './api-key.ts'
import type { ApiKey, NewApiKey } from './schema.ts'
import * as store from './store.ts'

export type ApiKeyWish = {
  readonly name: string
  readonly scopes: readonly string[]
  readonly expiresAt: Date | null
  readonly actor: Actor | Operator
}

/** Makes a key of an organization; the answer is the only time it is shown. */
export async function addApiKey(deps: Deps, tx: Tx, organizationId: string, wish: ApiKeyWish) {
  const { name, scopes, expiresAt, actor } = wish
  const key = makeApiKey(deps.config.env)
  const createdAt = deps.now()
  const row = {
    id: deps.newId(createdAt),
    name,
    prefix: keyPrefix(deps.config.env),
    lastFour: key.slice(-4),
    scopes: [...scopes],
    createdBy: actor.type === 'operator' ? null : makerOf(actor),
    createdAt,
    expiresAt,
  }
  await store.insertApiKey(tx, { ...row, organizationId, hash: hashApiKey(key) })
  await recordAct(deps, tx, {
    organizationId,
    actor,
    action: 'api_key.created',
    resourceType: 'api_key',
    resourceId: row.id,
    changes: {
      name: { from: null, to: name },
      scopes: { from: null, to: scopes },
      expiresAt: { from: null, to: expiresAt },
    },
  })
  return { ...present({ ...row, revokedAt: null, lastUsedAt: null }), key }
}

export async function createApiKey(deps: Deps, organizationId: string, actor: Actor, wish: NewApiKey) {
  const expiresAt = wish.expiresAt ? new Date(wish.expiresAt) : null
  if (expiresAt && expiresAt <= deps.now()) throw invalid({ param: 'expiresAt', message: 'must lie in the future' })
  const scopes = wish.scopes ?? ['*']
  return deps.db.transaction((tx) => addApiKey(deps, tx, organizationId, { name: wish.name, scopes, expiresAt, actor }))
}

/** Refuses scopes that the role may not give away. */
export function refuseScopesBeyond(actor: Actor, wish: NewApiKey): void {
  if (actor.type !== 'member') throw new Refusal('member_required')
  const allowed = scopesToGive(actor.role)
  const beyond = (wish.scopes ?? ['*']).find((scope) => !allowed.includes(scope))
  if (beyond !== undefined)
    throw new Refusal('role_missing', {
      message: `Your role, ${actor.role}, may not make a key with the scope ${beyond}.`,
      param: 'scopes',
    })
}

export async function listApiKeys(deps: Deps, organizationId: string, query: PageQuery) {
  const { items, pagination } = await store.listApiKeys(deps.db, organizationId, query)
  return { apiKeys: items.map(present), pagination }
}

/** Revokes a key at once, here and in every process. Twice is fine. */
export async function revokeApiKey(
  deps: Deps,
  organizationId: string,
  actor: Actor | Operator,
  id: string,
): Promise<ApiKey> {
  return deps.db.transaction(async (tx) => {
    const row = await store.lockApiKey(tx, organizationId, id)
    if (!row) throw new Refusal('not_found')
    if (row.revokedAt) return present(row)
    const revokedAt = deps.now()
    await store.revokeApiKey(tx, organizationId, id, revokedAt)
    await recordAct(deps, tx, {
      organizationId,
      actor,
      action: 'api_key.revoked',
      resourceType: 'api_key',
      resourceId: id,
      changes: { revokedAt: { from: null, to: revokedAt } },
    })
    tx.wake(CREDENTIALS)
    return present({ ...row, revokedAt })
  })
}

/** Whether a key is a valid one of this organization. */
export async function isApiKeyOf(deps: Deps, organizationId: string, apiKey: string): Promise<boolean> {
  const holder = await store.findKeyHolder(deps.db, hashApiKey(apiKey))
  return holder?.organizationId === organizationId && holder.revokedAt === null
}

function present(row: store.ApiKeyRow): ApiKey {
  return {
    ...row,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    revokedAt: row.revokedAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  }
}
