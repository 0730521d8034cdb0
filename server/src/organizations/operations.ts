import { randomBytes } from 'node:crypto'
import type { Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import { isCurrency } from '../money/currencies.ts'
import { minor, toMajor } from '../money/money.ts'
import { openWallets } from '../wallets/operations.ts'
import { hashApiKey, keyPrefix, makeApiKey } from './api-key.ts'
import { hashPassword } from './password.ts'
import type { Organization } from './schema.ts'
import * as store from './store.ts'

export type Founded = { organizationId: string; apiKey: string; email: string; password: string }

/** Makes an organization with its wallets, an owner and a key that may do everything. The key has no maker. */
export async function createOrganization(deps: Deps, name: string, email?: string): Promise<Founded> {
  const password = randomBytes(15).toString('base64url')
  const passwordHash = await hashPassword(password)
  const organizationId = deps.newId(deps.now())
  const ownerEmail = email ?? `owner@${organizationId.slice(0, 8)}${organizationId.slice(-4)}.example`
  return deps.db.transaction(async (tx) => {
    const at = deps.now()
    await store.insertOrganization(tx, organizationId, name, at)
    await openWallets(deps, tx, [organizationId])
    await store.insertMember(tx, {
      organizationId,
      id: deps.newId(deps.now()),
      email: ownerEmail,
      name: 'Owner',
      role: 'owner',
      passwordHash,
      createdAt: at,
    })
    const { apiKey } = await addApiKey(deps, tx, organizationId, { name: 'First key', scopes: ['*'] })
    return { organizationId, apiKey, email: ownerEmail, password }
  })
}

export type ApiKeyWish = { name: string; scopes: readonly string[]; createdBy?: string; expiresAt?: Date }

/** Makes a key of an existing organization; the answer is the only time it is shown. */
export async function createApiKey(deps: Deps, organizationId: string, wish: ApiKeyWish) {
  return deps.db.transaction(async (tx) => {
    await getOrganizationRow(tx, organizationId)
    return addApiKey(deps, tx, organizationId, wish)
  })
}

async function addApiKey(
  deps: Deps,
  tx: Tx,
  organizationId: string,
  { name, scopes, createdBy, expiresAt }: ApiKeyWish,
) {
  const apiKey = makeApiKey(deps.config.env)
  const id = deps.newId(deps.now())
  await store.insertApiKey(tx, {
    organizationId,
    id,
    name,
    scopes,
    hash: hashApiKey(apiKey),
    prefix: keyPrefix(deps.config.env),
    lastFour: apiKey.slice(-4),
    createdBy: createdBy ?? null,
    createdAt: deps.now(),
    expiresAt: expiresAt ?? null,
  })
  return { id, apiKey }
}

export async function getOrganization(deps: Deps, organizationId: string): Promise<Organization> {
  const row = await getOrganizationRow(deps.db, organizationId)
  const thresholds = Object.entries(row.approvalThresholds).map(([currency, amount]) => {
    return [currency, isCurrency(currency) ? toMajor(minor(BigInt(amount)), currency) : 0]
  })
  const { id, name, createdAt, updatedAt } = row
  return {
    id,
    name,
    approvalThresholds: Object.fromEntries(thresholds) as Record<string, number>,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}

/** Closes or reopens an organization: a closed one's keys are refused and no transfer reaches it. */
export async function setOrganizationActive(deps: Deps, organizationId: string, isActive: boolean): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (!(await store.setOrganizationActive(tx, organizationId, isActive, deps.now()))) throw new Refusal('not_found')
  })
}

async function getOrganizationRow(db: Deps['db'], id: string): Promise<store.OrganizationRow> {
  const row = await store.findOrganization(db, id)
  if (!row) throw new Refusal('not_found')
  return row
}

/** Which of these organizations exist and are open. */
export async function findOpenOrganization(
  db: Deps['db'],
  id: string,
): Promise<{ id: string; name: string } | undefined> {
  const row = await store.findOrganization(db, id)
  return row?.isActive ? row : undefined
}

/** Whether a key is a valid one of this organization. */
export async function isApiKeyOf(deps: Deps, organizationId: string, apiKey: string): Promise<boolean> {
  const holder = await store.findKeyHolder(deps.db, hashApiKey(apiKey))
  return holder?.organizationId === organizationId && holder.revokedAt === null
}
