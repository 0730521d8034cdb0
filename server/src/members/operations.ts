import { createHash, randomBytes } from 'node:crypto'
import { recordAct, type Operator } from '../audit-log/operations.ts'
import type { Db, Tx } from '../db/database.ts'
import type { PageQuery } from '../db/paging.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import type { Actor } from '../http/authentication.ts'
import { CREDENTIALS } from '../http/brief-memory.ts'
import type { Role } from '../organizations/schema.ts'
import type { Member, NewMember } from './schema.ts'
import * as store from './store.ts'

export type { InviteRow, MemberKey, SignInRow } from './store.ts'

/** How long an invitation can be accepted. */
const INVITE_MS = 72 * 60 * 60 * 1000

/** Refuses to make or change an owner by anyone but an owner. */
export function refuseOwnerFor(actor: Actor, ...touched: Role[]): void {
  if (actor.type !== 'member') throw new Refusal('member_required')
  if (actor.role !== 'owner' && touched.includes('owner'))
    throw new Refusal('role_missing', { message: 'Only an owner may make, change or remove an owner.' })
}

/** Adds somebody who cannot sign in before the invitation is accepted. The link is shown only in this answer. */
export async function inviteMember(deps: Deps, organizationId: string, actor: Actor, wish: NewMember) {
  const { email, role, name } = wish
  const token = randomBytes(32).toString('base64url')
  return deps.db.transaction(async (tx) => {
    const member = await addMember(deps, tx, { organizationId, email, role, name: name ?? email, passwordHash: null })
    const expiresAt = new Date(deps.now().getTime() + INVITE_MS)
    await store.insertInvite(tx, { hash: hashInvite(token), organizationId, memberId: member.id, expiresAt })
    await recordMember(deps, tx, actor, 'member.invited', member, {
      email: { from: null, to: email },
      role: { from: null, to: role },
    })
    return { ...member, inviteUrl: `${deps.publicUrl()}/invite/${token}`, inviteExpiresAt: expiresAt.toISOString() }
  })
}

export type MemberWish = {
  readonly organizationId: string
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly passwordHash: string | null
}

export async function addMember(deps: Deps, tx: Tx, wish: MemberWish): Promise<Member> {
  const createdAt = deps.now()
  const row = { ...wish, id: deps.newId(createdAt), createdAt }
  await store.insertMember(tx, row)
  const { passwordHash, ...shown } = row
  return present({ ...shown, status: passwordHash === null ? 'invited' : 'active', updatedAt: createdAt })
}

/** A member made at the command line, who can sign in at once. */
export async function createMember(deps: Deps, wish: MemberWish): Promise<Member> {
  return deps.db.transaction(async (tx) => {
    const member = await addMember(deps, tx, wish)
    await recordMember(deps, tx, { type: 'operator' }, 'member.created', member, {
      email: { from: null, to: member.email },
      role: { from: null, to: member.role },
    })
    return member
  })
}

export async function listMembers(deps: Deps, organizationId: string, query: PageQuery) {
  const { items, pagination } = await store.listMembers(deps.db, organizationId, query)
  return { members: items.map(present), pagination }
}

/** Gives a member another role; it counts from the next request on, whatever token it comes with. */
export async function changeRole(
  deps: Deps,
  organizationId: string,
  actor: Actor,
  id: string,
  role: Role,
): Promise<Member> {
  return deps.db.transaction(async (tx) => {
    const member = await lockChangeable(tx, organizationId, actor, id, role)
    if (member.role === role) return present(member)
    if (role !== 'owner') await keepAnOwner(tx, member)
    const updatedAt = deps.now()
    await store.setRole(tx, member, role, updatedAt)
    await recordMember(deps, tx, actor, 'member.role_changed', member, { role: { from: member.role, to: role } })
    tx.wake(CREDENTIALS)
    return present({ ...member, role, updatedAt })
  })
}

/** Removes a member with all sessions. The e-mail address is free again; what the member did keeps its maker. */
export async function removeMember(deps: Deps, organizationId: string, actor: Actor, id: string): Promise<Member> {
  return deps.db.transaction(async (tx) => {
    const member = await lockChangeable(tx, organizationId, actor, id)
    await keepAnOwner(tx, member)
    await store.deleteMember(tx, member)
    await recordMember(deps, tx, actor, 'member.removed', member, {
      email: { from: member.email, to: null },
      role: { from: member.role, to: null },
    })
    tx.wake(CREDENTIALS)
    return present(member)
  })
}

async function lockChangeable(tx: Tx, organizationId: string, actor: Actor, id: string, ...roles: Role[]) {
  await store.lockRoles(tx, organizationId)
  const member = await store.lockMember(tx, organizationId, id)
  if (!member) throw new Refusal('not_found')
  refuseOwnerFor(actor, member.role, ...roles)
  return member
}

async function keepAnOwner(tx: Tx, { organizationId, id, role, status }: store.MemberRow): Promise<void> {
  const isOwner = role === 'owner' && status === 'active'
  if (isOwner && (await store.countOtherOwners(tx, organizationId, id)) === 0) throw new Refusal('last_owner')
}

/** The invitation of a token that can still be accepted. */
export async function getInvite(deps: Pick<Deps, 'db' | 'now'>, token: string): Promise<store.InviteRow> {
  const invite = await store.findInvite(deps.db, hashInvite(token))
  if (!invite) throw new Refusal('invite_not_found')
  if (invite.acceptedAt) throw new Refusal('invite_used')
  if (invite.expiresAt <= deps.now()) throw new Refusal('invite_expired')
  return invite
}

export type Acceptance = { readonly token: string; readonly name: string; readonly passwordHash: string }

/** Turns an invitation into a member who can sign in. */
export async function joinByInvite(deps: Deps, tx: Tx, accepted: Acceptance, ip: string): Promise<store.SignInRow> {
  const { token, name, passwordHash } = accepted
  const invite = await getInvite({ ...deps, db: tx }, token)
  const isMine = await store.acceptInvite(tx, { hash: hashInvite(token), at: deps.now(), name, passwordHash })
  const member = isMine ? await store.findByEmail(tx, invite.email) : undefined
  if (!member) throw new Refusal('invite_used')
  const actor = actorOf(member, ip)
  await recordMember(deps, tx, actor, 'member.joined', member, { name: { from: invite.name, to: name } })
  return member
}

export function actorOf(
  { id, role, email, name }: Pick<store.MemberRow, 'id' | 'role' | 'email' | 'name'>,
  ip: string,
): Actor {
  return { type: 'member', id, role, email, name, ip }
}

export function findByEmail(db: Db, email: string): Promise<store.SignInRow | undefined> {
  return store.findByEmail(db, email)
}

export const strengthenPassword = store.strengthenPassword

/** Replaces a password and says who did it. */
export async function replacePassword(
  deps: Deps,
  tx: Tx,
  actor: Actor | Operator,
  member: store.MemberKey,
  passwordHash: string,
): Promise<void> {
  await store.setPassword(tx, member, passwordHash, deps.now())
  const action = actor.type === 'operator' ? 'member.password_reset' : 'member.password_changed'
  await recordMember(deps, tx, actor, action, member)
  tx.wake(CREDENTIALS)
}

type MemberAction =
  'invited' | 'joined' | 'created' | 'role_changed' | 'removed' | 'password_changed' | 'password_reset'

async function recordMember(
  deps: Deps,
  tx: Tx,
  actor: Actor | Operator,
  action: `member.${MemberAction}`,
  { organizationId, id }: store.MemberKey,
  changes = {},
): Promise<void> {
  await recordAct(deps, tx, { organizationId, actor, action, resourceType: 'member', resourceId: id, changes })
}

function hashInvite(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

function present(row: store.MemberRow): Member {
  return { ...row, createdAt: row.createdAt.toISOString(), updatedAt: row.updatedAt.toISOString() }
}
