import type { Secrets } from '../secrets.ts'

/** What the digest of an entry covers: all of it. */
export type SealedEntry = {
  organizationId: string
  id: string
  number: bigint
  at: Date
  actorType: 'member' | 'key' | 'operator'
  actorId: string | null
  actorLabel: string | null
  action: string
  resourceType: string
  resourceId: string
  ip: string | null
  changes: string
}

/** What the first entry of an organization goes on from. */
export const FIRST_MAC: Buffer = Buffer.alloc(32)

/** The digest of an entry over the one before it; only the master key can make it. */
export function macOf(secrets: Secrets, before: Buffer, entry: SealedEntry, keyId?: string): Buffer {
  const { organizationId, id, number, at, actorType, actorId, actorLabel } = entry
  const { action, resourceType, resourceId, ip, changes } = entry
  const who = [organizationId, id, String(number), at.toISOString(), actorType, actorId, actorLabel]
  const what = [action, resourceType, resourceId, ip, changes]
  return secrets.mac('audit-log', `${before.toString('base64url')}\n${JSON.stringify([...who, ...what])}`, keyId)
}
