import { violated, type Db, type Tx } from '../db/database.ts'
import { listPage, type Page, type PageQuery } from '../db/paging.ts'
import { sql } from '../db/sql.ts'
import { Refusal } from '../errors.ts'
import type { Role } from '../organizations/schema.ts'

export type MemberRow = {
  organizationId: string
  id: string
  email: string
  name: string
  role: Role
  status: 'invited' | 'active'
  createdAt: Date
  updatedAt: Date
}

export type NewMember = Omit<MemberRow, 'status' | 'updatedAt'> & { passwordHash: string | null }

const columns = `
  m.organization_id as "organizationId", m.id, m.email, m.name, m.role,
  case when m.password_hash is null then 'invited' else 'active' end as status,
  m.created_at as "createdAt", m.updated_at as "updatedAt"`

const insertMemberSql = sql`
  with member as (
    insert into members (organization_id, id, email, name, role, password_hash, created_at, updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $7))
  insert into member_directory (email_key, organization_id, member_id) values (lower($3), $1, $2)`

export async function insertMember(tx: Tx, member: NewMember): Promise<void> {
  const { organizationId, id, email, name, role, passwordHash, createdAt } = member
  try {
    await tx.many(insertMemberSql, [organizationId, id, email, name, role, passwordHash, createdAt])
  } catch (error) {
    if (violated(error) === 'member_directory_pkey') throw new Refusal('email_taken', { param: 'email' })
    throw error
  }
}

export function listMembers(db: Db, organizationId: string, query: PageQuery): Promise<Page<MemberRow>> {
  const ofOrganization = { text: 'm.organization_id = ?', value: organizationId }
  return listPage(db, { columns, from: 'members m', id: 'm.id' }, [ofOrganization], query)
}

// Not `for update`: that would wait for every payment and payout being written, which hold the row by foreign key.
const lockOwnersSql = sql`select id from organizations where id = $1 for no key update`

/** Changes of roles in an organization happen one after another, so that two owners cannot remove each other. */
export async function lockRoles(tx: Tx, organizationId: string): Promise<void> {
  await tx.many(lockOwnersSql, [organizationId])
}

const lockMemberSql = sql<MemberRow>`
  select ${columns} from members m where m.organization_id = $1 and m.id = $2 for update`

export function lockMember(tx: Tx, organizationId: string, id: string): Promise<MemberRow | undefined> {
  return tx.maybe(lockMemberSql, [organizationId, id])
}

const countOtherOwnersSql = sql<{ count: number }>`
  select count(*)::integer as count from members
   where organization_id = $1 and id <> $2 and role = 'owner' and password_hash is not null`

/** How many others could still act as owner. */
export async function countOtherOwners(tx: Tx, organizationId: string, id: string): Promise<number> {
  return (await tx.one(countOtherOwnersSql, [organizationId, id])).count
}

const setRoleSql = sql`update members set role = $3, updated_at = $4 where organization_id = $1 and id = $2`

export async function setRole(tx: Tx, { organizationId, id }: MemberRow, role: Role, at: Date): Promise<void> {
  await tx.many(setRoleSql, [organizationId, id, role, at])
}

const deleteMemberSql = sql`delete from members where organization_id = $1 and id = $2`

export async function deleteMember(tx: Tx, { organizationId, id }: MemberRow): Promise<void> {
  await tx.many(deleteMemberSql, [organizationId, id])
}

const insertInviteSql = sql`
  insert into member_invites (hash, organization_id, member_id, expires_at) values ($1, $2, $3, $4)`

export async function insertInvite(
  tx: Tx,
  invite: { hash: Buffer; organizationId: string; memberId: string; expiresAt: Date },
): Promise<void> {
  await tx.many(insertInviteSql, [invite.hash, invite.organizationId, invite.memberId, invite.expiresAt])
}

export type InviteRow = {
  organizationId: string
  memberId: string
  email: string
  name: string
  organizationName: string
  expiresAt: Date
  acceptedAt: Date | null
}

const findInviteSql = sql<InviteRow>`
  select i.organization_id as "organizationId", i.member_id as "memberId", m.email, m.name, o.name as "organizationName",
         i.expires_at as "expiresAt", i.accepted_at as "acceptedAt"
    from member_invites i
    join members m on m.organization_id = i.organization_id and m.id = i.member_id
    join organizations o on o.id = i.organization_id and o.is_active
   where i.hash = $1`

export function findInvite(db: Db, hash: Buffer): Promise<InviteRow | undefined> {
  return db.maybe(findInviteSql, [hash])
}

const acceptInviteSql = sql<{ id: string }>`
  with invite as (
    update member_invites set accepted_at = $2 where hash = $1 and accepted_at is null
    returning organization_id, member_id)
  update members m set name = $3, password_hash = $4, updated_at = $2
    from invite i where (m.organization_id, m.id) = (i.organization_id, i.member_id) and m.password_hash is null
  returning m.id`

/** Uses an invitation up; false where somebody was faster. */
export async function acceptInvite(
  tx: Tx,
  accepted: { hash: Buffer; at: Date; name: string; passwordHash: string },
): Promise<boolean> {
  const { hash, at, name, passwordHash } = accepted
  return (await tx.many(acceptInviteSql, [hash, at, name, passwordHash])).length === 1
}

export type SignInRow = MemberRow & { passwordHash: string | null }

const findByEmailSql = sql<SignInRow>`
  select ${columns}, m.password_hash as "passwordHash"
    from member_directory d
    join members m on m.organization_id = d.organization_id and m.id = d.member_id
    join organizations o on o.id = m.organization_id and o.is_active
   where d.email_key = lower($1)`

export function findByEmail(db: Db, email: string): Promise<SignInRow | undefined> {
  return db.maybe(findByEmailSql, [email])
}

const setPasswordSql = sql`update members set password_hash = $3, updated_at = $4 where organization_id = $1 and id = $2`

export async function setPassword(tx: Tx, key: MemberKey, passwordHash: string, at: Date): Promise<void> {
  await tx.many(setPasswordSql, [key.organizationId, key.id, passwordHash, at])
}

export type MemberKey = { readonly organizationId: string; readonly id: string }

const strengthenPasswordSql = sql`
  update members set password_hash = $4 where organization_id = $1 and id = $2 and password_hash = $3`

/** Keeps the same password under a stronger hash, unless it was changed meanwhile. */
export async function strengthenPassword(tx: Tx, key: MemberKey, before: string, after: string): Promise<void> {
  await tx.many(strengthenPasswordSql, [key.organizationId, key.id, before, after])
}
