import { unauthenticated } from '../api-keys/keyring.ts'
import { recordAct } from '../audit-log/operations.ts'
import { wallNow } from '../clock.ts'
import type { Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import type { Actor } from '../http/authentication.ts'
import { CREDENTIALS } from '../http/brief-memory.ts'
import * as members from '../members/operations.ts'
import { hashPassword, isOutdated, isPassword, unmatchableHash } from '../members/password.ts'
import { beginAttempt } from './limits.ts'
import { readRefreshToken, writeRefreshToken, type RefreshToken } from './refresh-token.ts'
import type { AcceptInvite, Login, PasswordChange, SignedIn } from './schema.ts'
import * as store from './store.ts'

/** How long a member stays signed in by refreshing, from the sign-in on. */
export const SESSION_MS = 30 * 24 * 60 * 60 * 1000

/** What signing in answers with, and the refresh token that goes into the cookie beside it. */
export type SignIn = { readonly body: SignedIn; readonly refreshToken: string; readonly expiresAt: Date }

// The same work is done for an address nobody has.
const nobody = unmatchableHash()

/** Signs a member in. An unknown address and a wrong password are told apart by neither answer nor time. */
export async function login(deps: Deps, { email, password }: Login, ip: string): Promise<SignIn> {
  const attempt = await beginAttempt(deps, email, ip)
  const member = await members.findByEmail(deps.db, email)
  const stored = member?.passwordHash ?? nobody
  const isRight = (await isPassword(password, stored)) && member?.passwordHash === stored
  if (!isRight) {
    await attempt.fail()
    throw unauthenticated('sign_in_failed')
  }
  const rehashed = isOutdated(stored) ? await hashPassword(password) : undefined
  await attempt.succeed()
  return deps.db.transaction(async (tx) => {
    if (rehashed) await members.strengthenPassword(tx, member, stored, rehashed)
    const signIn = await openSession(deps, tx, member)
    await recordSession(deps, tx, members.actorOf(member, ip), member, 'member.signed_in')
    return signIn
  })
}

/** Exchanges a refresh token for a new one and a new JWT. A token shown twice was stolen: its session ends. */
export async function refresh(deps: Deps, cookie: string | undefined, ip: string): Promise<SignIn> {
  if (!cookie) throw unauthenticated('credential_missing')
  const shown = readRefreshToken(deps.secrets, cookie)
  if (!shown) throw unauthenticated('credential_invalid')
  const { organizationId, sessionId } = shown
  const signIn = await deps.db.transaction(async (tx) => {
    const session = await store.lockSession(tx, organizationId, sessionId)
    if (!session) return undefined
    if (session.generation !== shown.generation) {
      await store.endSession(tx, organizationId, sessionId)
      await recordSession(deps, tx, members.actorOf(session, ip), session, 'member.token_reused')
      tx.wake(CREDENTIALS)
      return undefined
    }
    await store.rotateSession(tx, organizationId, sessionId)
    return answer(deps, session, { ...shown, generation: shown.generation + 1 }, session.expiresAt)
  })
  // Thrown after the commit: the end of a stolen session must stay.
  if (!signIn) throw unauthenticated('credential_revoked')
  return signIn
}

/** Ends the sessions the caller shows, by cookie or by token. Whoever shows none is signed out already. */
export async function logout(deps: Deps, cookie: string | undefined, token: string | undefined, ip: string) {
  const byCookie = cookie ? readRefreshToken(deps.secrets, cookie) : undefined
  const byToken = token ? await deps.tokens.read(token).catch(() => undefined) : undefined
  const shown = [byCookie, byToken].filter((session) => session !== undefined)
  await deps.db.transaction(async (tx) => {
    for (const { organizationId, sessionId } of shown) {
      const session = await store.lockSession(tx, organizationId, sessionId)
      if (!session) continue
      await store.endSession(tx, organizationId, sessionId)
      await recordSession(deps, tx, members.actorOf(session, ip), session, 'member.signed_out')
      tx.wake(CREDENTIALS)
    }
  })
}

/** Changes one's own password and ends all other sessions. */
export async function changePassword(
  deps: Deps,
  organizationId: string,
  { actor, sessionId }: { actor: Actor; sessionId: string | null },
  { current, new: wanted }: PasswordChange,
): Promise<{ changedAt: string }> {
  if (actor.type !== 'member') throw new Refusal('member_required')
  const attempt = await beginAttempt(deps, actor.email, actor.ip)
  const stored = (await members.findByEmail(deps.db, actor.email))?.passwordHash
  if (!stored || !(await isPassword(current, stored))) {
    await attempt.fail()
    throw new Refusal('password_wrong', { param: 'current' })
  }
  const passwordHash = await hashPassword(wanted)
  await attempt.succeed()
  return deps.db.transaction(async (tx) => {
    await store.endSessionsExcept(tx, organizationId, actor.id, sessionId)
    await members.replacePassword(deps, tx, actor, { organizationId, id: actor.id }, passwordHash)
    return { changedAt: deps.now().toISOString() }
  })
}

/** An operator gives a member a new password; every session ends. */
export async function resetPassword(deps: Deps, email: string, password: string): Promise<members.SignInRow> {
  const passwordHash = await hashPassword(password)
  return deps.db.transaction(async (tx) => {
    const member = await members.findByEmail(tx, email)
    if (!member) throw new Refusal('not_found', { message: 'There is no member with this e-mail address.' })
    await store.endSessionsExcept(tx, member.organizationId, member.id, null)
    await members.replacePassword(deps, tx, { type: 'operator' }, member, passwordHash)
    return member
  })
}

/** Accepts an invitation and signs in. */
export function acceptInvite(deps: Deps, accepted: AcceptInvite, ip: string): Promise<SignIn> {
  return join(deps, accepted, ip, (tx, member) => openSession(deps, tx, member))
}

/** Accepts an invitation; signing in is left for later. */
export function acceptInviteOnly(deps: Deps, accepted: AcceptInvite, ip: string): Promise<void> {
  return join(deps, accepted, ip, async () => undefined)
}

async function join<T>(
  deps: Deps,
  { token, name, password }: AcceptInvite,
  ip: string,
  then: (tx: Tx, member: members.SignInRow) => Promise<T>,
): Promise<T> {
  // Asked first, so that a wrong token does not cost a hash.
  await members.getInvite(deps, token)
  const passwordHash = await hashPassword(password)
  return deps.db.transaction(async (tx) =>
    then(tx, await members.joinByInvite(deps, tx, { token, name, passwordHash }, ip)),
  )
}

async function openSession(deps: Deps, tx: Tx, member: store.SignedInMember): Promise<SignIn> {
  const at = wallNow()
  const [sessionId, expiresAt] = [deps.newId(at), new Date(at.getTime() + SESSION_MS)]
  const { organizationId, id: memberId } = member
  await store.insertSession(tx, { organizationId, id: sessionId, memberId, at, expiresAt })
  return answer(deps, member, { organizationId, sessionId, generation: 1 }, expiresAt)
}

async function answer(
  deps: Deps,
  member: store.SignedInMember,
  refreshToken: RefreshToken,
  sessionEndsAt: Date,
): Promise<SignIn> {
  const { id, email, name, role, organizationId } = member
  const { sessionId } = refreshToken
  const { token, expiresAt } = await deps.tokens.issue({ organizationId, memberId: id, sessionId })
  return {
    body: { token, expiresAt: expiresAt.toISOString(), member: { id, email, name, role, organizationId } },
    refreshToken: writeRefreshToken(deps.secrets, refreshToken),
    expiresAt: sessionEndsAt,
  }
}

/** Sessions that are over and failures nobody counts any more. */
export async function forgetSignIns({ db }: Deps, most: number): Promise<number> {
  const sessions = await db.transaction((tx) => store.purgeSessions(tx, most))
  const attempts = await db.transaction((tx) => store.purgeAttempts(tx, most))
  return Math.max(sessions, attempts)
}

type SessionAction = 'member.signed_in' | 'member.signed_out' | 'member.token_reused'

async function recordSession(
  deps: Deps,
  tx: Tx,
  actor: Actor,
  { organizationId, id }: store.SignedInMember,
  action: SessionAction,
): Promise<void> {
  await recordAct(deps, tx, { organizationId, actor, action, resourceType: 'member', resourceId: id })
}
