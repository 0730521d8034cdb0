import type { Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'

export type KeptKey = {
  fingerprint: Buffer
  claimedUntil: Date | null
  status: number | null
  body: string | null
  isSealed: boolean
  createdAt: Date
}

const tryLockSql = sql<{ isLocked: boolean }>`
  select pg_try_advisory_xact_lock(hashtextextended($1::text || '/' || $2, 0)) as "isLocked"`

/** A statement of its own: what is read next must be read by a snapshot taken after the lock. */
export async function tryLock(tx: Tx, organizationId: string, key: string): Promise<boolean> {
  return (await tx.one(tryLockSql, [organizationId, key])).isLocked
}

const findKeySql = sql<KeptKey>`
  select fingerprint, claimed_until as "claimedUntil", status, body, is_sealed as "isSealed", created_at as "createdAt"
    from idempotency_keys where organization_id = $1 and key = $2`

export function findKey(tx: Tx, organizationId: string, key: string): Promise<KeptKey | undefined> {
  return tx.maybe(findKeySql, [organizationId, key])
}

type Kept = {
  organizationId: string
  key: string
  fingerprint: Buffer
  isSealed: boolean
  status: number
  body: string
}

export type KeptAnswer = Kept & { at: Date }

const insertAnswersSql = sql`
  insert into idempotency_keys (organization_id, key, fingerprint, status, body, is_sealed, created_at)
  select organization_id, key, fingerprint, status, body, is_sealed, created_at
    from unnest($1::uuid[], $2::text[], $3::bytea[], $4::smallint[], $5::text[], $6::boolean[], $7::timestamptz[])
      as t (organization_id, key, fingerprint, status, body, is_sealed, created_at)`

export async function insertAnswers(tx: Tx, answers: readonly KeptAnswer[]): Promise<void> {
  if (answers.length === 0) return
  const column = (name: keyof KeptAnswer) => answers.map((answer) => answer[name])
  const names = ['organizationId', 'key', 'fingerprint', 'status', 'body', 'isSealed', 'at'] as const
  await tx.many(insertAnswersSql, names.map(column))
}

type KeyName = { organizationId: string; key: string }

const tryLocksSql = sql<{ isLocked: boolean }>`
  select pg_try_advisory_xact_lock(hashtextextended(k.organization_id || '/' || k.key, 0)) as "isLocked"
    from unnest($1::text[], $2::text[]) with ordinality as k (organization_id, key, number) order by k.number`

/** The same for several keys; for each whether it is ours now. */
export async function tryLocks(tx: Tx, keys: readonly KeyName[]): Promise<boolean[]> {
  const found = await tx.many(tryLocksSql, [keys.map((one) => one.organizationId), keys.map((one) => one.key)])
  return found.map(({ isLocked }) => isLocked)
}

const findUsedSql = sql<KeyName>`
  select i.organization_id as "organizationId", i.key from idempotency_keys i
    join unnest($1::uuid[], $2::text[]) as k (organization_id, key) on i.organization_id = k.organization_id and i.key = k.key`

/** Which of these keys were used before, whatever became of it. */
export function findUsed(tx: Tx, keys: readonly KeyName[]): Promise<KeyName[]> {
  return tx.many(findUsedSql, [keys.map((one) => one.organizationId), keys.map((one) => one.key)])
}

const insertClaimSql = sql`
  insert into idempotency_keys (organization_id, key, fingerprint, claim_id, claimed_until, created_at)
  values ($1, $2, $3, $4, $5, $6)`

export async function insertClaim(
  tx: Tx,
  claim: { organizationId: string; key: string; fingerprint: Buffer; claimId: string; until: Date; at: Date },
): Promise<void> {
  const { organizationId, key, fingerprint, claimId, until, at } = claim
  await tx.many(insertClaimSql, [organizationId, key, fingerprint, claimId, until, at])
}

const replaceClaimSql = sql<{ key: string }>`
  update idempotency_keys set claim_id = null, claimed_until = null, status = $4, body = $5, is_sealed = $6
   where organization_id = $1 and key = $2 and claim_id = $3 returning key`

/** Puts the answer in the claim's place; false when the claim is no longer ours. */
export async function replaceClaim(tx: Tx, kept: Omit<Kept, 'fingerprint'> & { claimId: string }): Promise<boolean> {
  const { organizationId, key, claimId, status, body, isSealed } = kept
  return (await tx.many(replaceClaimSql, [organizationId, key, claimId, status, body, isSealed])).length === 1
}

const deleteClaimSql = sql`delete from idempotency_keys where organization_id = $1 and key = $2 and claim_id = $3`

export async function deleteClaim(
  tx: Tx,
  { organizationId, key }: { organizationId: string; key: string },
  claimId: string,
): Promise<void> {
  await tx.many(deleteClaimSql, [organizationId, key, claimId])
}

const deleteKeySql = sql`delete from idempotency_keys where organization_id = $1 and key = $2`

export async function deleteKey(tx: Tx, organizationId: string, key: string): Promise<void> {
  await tx.many(deleteKeySql, [organizationId, key])
}

const purgeSql = sql<{ purged: number }>`
  with old as (select organization_id, key from idempotency_keys where created_at < $1 order by created_at limit $2 for update skip locked),
  gone as (delete from idempotency_keys k using old where k.organization_id = old.organization_id and k.key = old.key returning 1)
  select count(*)::integer as purged from gone`

/** Forgets answers from before an instant, at most so many at once. */
export async function purgeKeys(tx: Tx, before: Date, most: number): Promise<number> {
  return (await tx.one(purgeSql, [before, most])).purged
}

type SealedAnswer = { organizationId: string; key: string; body: string }

const sealedByOthersSql = sql<SealedAnswer>`
  select organization_id as "organizationId", key, body from idempotency_keys
   where is_sealed and body not like $1 order by organization_id, key limit $2 for update`

export function lockSealedByOthers(tx: Tx, beginning: string, most: number): Promise<SealedAnswer[]> {
  return tx.many(sealedByOthersSql, [`${beginning}%`, most])
}

const updateBodySql = sql`update idempotency_keys set body = $3 where organization_id = $1 and key = $2`

export async function updateBody(tx: Tx, { organizationId, key }: SealedAnswer, body: string): Promise<void> {
  await tx.many(updateBodySql, [organizationId, key, body])
}
