import { randomBytes } from 'node:crypto'
import { addApiKey } from '../api-keys/operations.ts'
import { changesBetween, recordAct } from '../audit-log/operations.ts'
import type { Db } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { invalid, Refusal, type FaultDetail } from '../errors.ts'
import type { Actor } from '../http/authentication.ts'
import { CREDENTIALS } from '../http/brief-memory.ts'
import { addMember } from '../members/operations.ts'
import { hashPassword } from '../members/password.ts'
import { isCurrency } from '../money/currencies.ts'
import { amountFaults, minor, parseMajor, toMajor } from '../money/money.ts'
import { openWallets } from '../wallets/operations.ts'
import type { Organization, OrganizationChange } from './schema.ts'
import * as store from './store.ts'

export type Founded = { organizationId: string; apiKey: string; email: string; password: string }

/** A password for somebody who has none yet: 120 random bits. */
export function makePassword(): string {
  return randomBytes(15).toString('base64url')
}

/** Makes an organization with its wallets, an owner and a key that may do everything. The key has no maker. */
export async function createOrganization(deps: Deps, name: string, email?: string): Promise<Founded> {
  const password = makePassword()
  const passwordHash = await hashPassword(password)
  const organizationId = deps.newId(deps.now())
  const ownerEmail = email ?? `owner@${organizationId.slice(-12)}.example`
  const actor = { type: 'operator' } as const
  return deps.db.transaction(async (tx) => {
    await store.insertOrganization(tx, organizationId, name, deps.now())
    await openWallets(deps, tx, [organizationId])
    await addMember(deps, tx, { organizationId, email: ownerEmail, name: 'Owner', role: 'owner', passwordHash })
    await recordAct(deps, tx, {
      organizationId,
      actor,
      action: 'organization.created',
      resourceType: 'organization',
      resourceId: organizationId,
      changes: { name: { from: null, to: name } },
    })
    const wish = { name: 'First key', scopes: ['*'], expiresAt: null, actor }
    const { key } = await addApiKey(deps, tx, organizationId, wish)
    return { organizationId, apiKey: key, email: ownerEmail, password }
  })
}

/** Refuses an organization in the address that is not the caller's, as if it did not exist. */
export function onlyOwn(organizationId: string, id: string): void {
  if (id.toLowerCase() !== organizationId) throw new Refusal('not_found')
}

export async function getOrganization(deps: Deps, organizationId: string): Promise<Organization> {
  return present(await getOrganizationRow(deps.db, organizationId))
}

/** Changes the name and the thresholds given; a threshold of null is removed, those not named stay. */
export async function updateOrganization(
  deps: Deps,
  organizationId: string,
  actor: Actor,
  change: OrganizationChange,
): Promise<Organization> {
  const thresholds = readThresholds(change.approvalThresholds ?? {})
  return deps.db.transaction(async (tx) => {
    const before = await store.lockOrganization(tx, organizationId)
    if (!before) throw new Refusal('not_found')
    const kept = change.approvalThresholds === null ? {} : before.approvalThresholds
    const merged = Object.entries({ ...kept, ...thresholds }).filter(([, amount]) => amount !== null)
    const after = {
      ...before,
      name: change.name ?? before.name,
      approvalThresholds: Object.fromEntries(merged) as Record<string, string>,
      updatedAt: deps.now(),
    }
    const changes = changesBetween(changeable(before), changeable(after))
    if (Object.keys(changes).length === 0) return present(before)
    await store.updateOrganization(tx, after)
    await recordAct(deps, tx, {
      organizationId,
      actor,
      action: 'organization.updated',
      resourceType: 'organization',
      resourceId: organizationId,
      changes,
    })
    return present(after)
  })
}

function changeable(row: store.OrganizationRow) {
  const { name, approvalThresholds } = present(row)
  return { name, approvalThresholds }
}

/** Thresholds in minor units as text, null where one is to be removed. */
function readThresholds(given: Readonly<Record<string, number | null>>): Record<string, string | null> {
  const faults: FaultDetail[] = []
  const read = Object.entries(given).map(([currency, amount]) => {
    if (amount === null || !isCurrency(currency)) return [currency, null]
    const parsed = parseMajor(amount, currency)
    if (typeof parsed !== 'string') return [currency, String(parsed)]
    faults.push({ param: `approvalThresholds.${currency}`, message: amountFaults[parsed](currency) })
    return [currency, null]
  })
  if (faults.length > 0) throw invalid(...faults)
  return Object.fromEntries(read) as Record<string, string | null>
}

/** Closes or reopens an organization: a closed one's keys and members are refused and no transfer reaches it. */
export async function setOrganizationActive(deps: Deps, organizationId: string, isActive: boolean): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (!(await store.setOrganizationActive(tx, organizationId, isActive, deps.now()))) throw new Refusal('not_found')
    await recordAct(deps, tx, {
      organizationId,
      actor: { type: 'operator' },
      action: isActive ? 'organization.opened' : 'organization.closed',
      resourceType: 'organization',
      resourceId: organizationId,
    })
    tx.wake(CREDENTIALS)
  })
}

/** Refuses an id that is no organization's. */
export async function requireOrganization(db: Db, id: string): Promise<void> {
  await getOrganizationRow(db, id)
}

async function getOrganizationRow(db: Db, id: string): Promise<store.OrganizationRow> {
  const row = await store.findOrganization(db, id)
  if (!row) throw new Refusal('not_found')
  return row
}

/** Which of these organizations exist and are open. */
export async function findOpenOrganization(db: Db, id: string): Promise<{ id: string; name: string } | undefined> {
  const row = await store.findOrganization(db, id)
  return row?.isActive ? row : undefined
}

function present(row: store.OrganizationRow): Organization {
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
