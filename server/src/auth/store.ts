import type { Db, Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Role } from '../organizations/schema.ts'

// Sign-in goes by the wall clock.

const insertSessionSql = sql`
  insert into member_sessions (organization_id, id, member_id, started_at, expires_at) values ($1, $2, $3, $4, $5)`

export async function insertSession(
  tx: Tx,
  session: { organizationId: string; id: string; memberId: string; at: Date; expiresAt: Date },
): Promise<void> {
  await tx.many(insertSessionSql, [session.organizationId, session.id, session.memberId, session.at, session.expiresAt])
}

export type SignedInMember = { organizationId: string; id: string; email: string; name: string; role: Role }

const openSession = `
  from member_sessions s
  join members m on m.organization_id = s.organization_id and m.id = s.member_id
  join organizations o on o.id = s.organization_id and o.is_active
 where s.organization_id = $1 and s.id = $2 and s.ended_at is null and s.expires_at > clock_timestamp()`

const findSignedInSql = sql<SignedInMember>`
  select m.organization_id as "organizationId", m.id, m.email, m.name, m.role ${openSession}`

/** The member behind an open session. */
export function findSignedIn(db: Db, organizationId: string, sessionId: string): Promise<SignedInMember | undefined> {
  return db.maybe(findSignedInSql, [organizationId, sessionId])
}

export type LockedSession = SignedInMember & { generation: number; expiresAt: Date }

const lockSessionSql = sql<LockedSession>`
  select m.organization_id as "organizationId", m.id, m.email, m.name, m.role, s.generation, s.expires_at as "expiresAt"
  ${openSession} for update of s`

export function lockSession(tx: Tx, organizationId: string, sessionId: string): Promise<LockedSession | undefined> {
  return tx.maybe(lockSessionSql, [organizationId, sessionId])
}

const rotateSql = sql`
  update member_sessions set generation = generation + 1 where organization_id = $1 and id = $2`

export async function rotateSession(tx: Tx, organizationId: string, sessionId: string): Promise<void> {
  await tx.many(rotateSql, [organizationId, sessionId])
}

const endSessionSql = sql<{ memberId: string }>`
  update member_sessions set ended_at = clock_timestamp()
   where organization_id = $1 and id = $2 and ended_at is null returning member_id as "memberId"`

export async function endSession(tx: Tx, organizationId: string, sessionId: string): Promise<void> {
  await tx.many(endSessionSql, [organizationId, sessionId])
}

const endOthersSql = sql`
  update member_sessions set ended_at = clock_timestamp()
   where organization_id = $1 and member_id = $2 and id is distinct from $3::uuid and ended_at is null`

/** Ends a member's sessions, all but the one named. */
export async function endSessionsExcept(
  tx: Tx,
  organizationId: string,
  memberId: string,
  kept: string | null,
): Promise<void> {
  await tx.many(endOthersSql, [organizationId, memberId, kept])
}

const purgeSessionsSql = sql<{ id: string }>`
  delete from member_sessions where (organization_id, id) in (
    select organization_id, id from member_sessions where expires_at < clock_timestamp() limit $1) returning id`

export async function purgeSessions(tx: Tx, most: number): Promise<number> {
  return (await tx.many(purgeSessionsSql, [most])).length
}

// Tried, not waited for: a crowd at the door must not hold every connection there is. The counts are then read by a
// snapshot taken after the locks.
const tryLockAttemptsSql = sql<{ isLocked: boolean }>`
  select pg_try_advisory_xact_lock(5660020, hashtext($1)) and pg_try_advisory_xact_lock(5660021, hashtext($2)) as "isLocked"`

export type AttemptCounts = {
  emailFailures: number
  emailPending: number
  emailFreeAt: Date | null
  addressFailures: number
  addressPending: number
  addressFreeAt: Date | null
}

/** An attempt whose process died counts as failed after this long. */
const PENDING = `interval '30 seconds'`
const WINDOW = `interval '15 minutes'`

const countAttemptsSql = sql<AttemptCounts>`
  with recent as (
    select email_mac = $1 as is_email, address = $2 as is_address, at,
           has_failed or at < clock_timestamp() - ${PENDING} as has_failed
      from sign_in_attempts
     where (email_mac = $1 or address = $2) and at > clock_timestamp() - ${WINDOW}
  )
  select count(*) filter (where is_email and has_failed)::integer as "emailFailures",
         count(*) filter (where is_email and not has_failed)::integer as "emailPending",
         (array_agg(at order by at desc) filter (where is_email and has_failed))[$3::integer] + ${WINDOW} as "emailFreeAt",
         count(*) filter (where is_address and has_failed)::integer as "addressFailures",
         count(*) filter (where is_address and not has_failed)::integer as "addressPending",
         (array_agg(at order by at desc) filter (where is_address and has_failed))[$4::integer] + ${WINDOW} as "addressFreeAt"
    from recent`

/** Undefined while another attempt of the same kind is being counted. */
export async function lockAndCountAttempts(
  tx: Tx,
  by: { emailMac: Buffer; address: string },
  most: { perEmail: number; perAddress: number },
): Promise<AttemptCounts | undefined> {
  const { isLocked } = await tx.one(tryLockAttemptsSql, [by.emailMac.toString('hex'), by.address])
  if (!isLocked) return undefined
  return tx.one(countAttemptsSql, [by.emailMac, by.address, most.perEmail, most.perAddress])
}

const insertAttemptSql = sql`
  insert into sign_in_attempts (id, email_mac, address, at) values ($1, $2, $3, clock_timestamp())`

export async function insertAttempt(tx: Tx, id: string, by: { emailMac: Buffer; address: string }): Promise<void> {
  await tx.many(insertAttemptSql, [id, by.emailMac, by.address])
}

const failAttemptSql = sql`update sign_in_attempts set has_failed = true where id = $1`

export async function failAttempt(tx: Tx, id: string): Promise<void> {
  await tx.many(failAttemptSql, [id])
}

const deleteAttemptSql = sql`delete from sign_in_attempts where id = $1`

export async function deleteAttempt(tx: Tx, id: string): Promise<void> {
  await tx.many(deleteAttemptSql, [id])
}

const purgeAttemptsSql = sql<{ id: string }>`
  delete from sign_in_attempts where id in (
    select id from sign_in_attempts where at < clock_timestamp() - ${WINDOW} limit $1) returning id`

export async function purgeAttempts(tx: Tx, most: number): Promise<number> {
  return (await tx.many(purgeAttemptsSql, [most])).length
}
