import type { FastifyReply, FastifyRequest } from 'fastify'
import { createKeyring, unauthenticated } from '../api-keys/keyring.ts'
import { createSessions } from '../auth/sessions.ts'
import type { Deps } from '../deps.ts'
import { Refusal, type FaultDetail } from '../errors.ts'
import type { Role } from '../organizations/schema.ts'
import { covers, permissions, type OperationId, type Permission } from './permissions.ts'
import { createRateLimits } from './rate-limit.ts'

/** Who calls, and from which address. */
export type Actor =
  | {
      readonly type: 'key'
      readonly id: string
      readonly scopes: readonly string[]
      readonly madeBy: string | null
      readonly ip: string
    }
  | {
      readonly type: 'member'
      readonly id: string
      readonly role: Role
      readonly email: string
      readonly name: string
      readonly ip: string
    }

/** The member behind an act: the member itself, or the maker of the key; null for a key no member made. */
export function makerOf(actor: Actor): string | null {
  return actor.type === 'member' ? actor.id : actor.madeBy
}

declare module 'fastify' {
  interface FastifyRequest {
    organizationId: string
    actor: Actor
    /** The session of a member's token; null for a key. */
    sessionId: string | null
    deps: Deps
    rawBody: Buffer | null
    /** What the body carries that cannot be taken as it is; see parseJson. */
    bodyFaults: readonly FaultDetail[] | null
  }
  interface FastifyContextConfig {
    operationId?: OperationId
  }
}

/** Credential, rate limit, permission: in the order the contract lists faults, before a byte of the body is read. */
export function authentication(deps: Deps) {
  const [keyring, sessions, limits] = [createKeyring(deps), createSessions(deps), createRateLimits(deps)]

  async function identify(request: FastifyRequest): Promise<void> {
    const credential = bearerOf(request)
    if (!credential) throw unauthenticated('credential_missing')
    const { ip } = request
    if (isToken(credential)) {
      const { organizationId, sessionId, id, role, email, name } = await sessions.holderOf(credential)
      Object.assign(request, { organizationId, sessionId, actor: { type: 'member', id, role, email, name, ip } })
    } else {
      const { organizationId, apiKeyId: id, scopes, createdBy: madeBy } = await keyring.holderOf(credential)
      Object.assign(request, { organizationId, sessionId: null, actor: { type: 'key', id, scopes, madeBy, ip } })
    }
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const operationId = request.routeOptions.config.operationId
    if (!operationId) return
    const permission: Permission = permissions[operationId]
    if (permission.isPublic) return
    await identify(request)
    await limits?.take(request, reply)
    permit(permission, request.actor)
  }
}

/** What stands after `Bearer`. */
export function bearerOf(request: FastifyRequest): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1]
}

function isToken(credential: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(credential)
}

function permit({ scope, roles }: Permission, actor: Actor): void {
  if (actor.type === 'member') {
    if (roles.includes(actor.role)) return
    throw new Refusal('role_missing', {
      message: `Your role, ${actor.role}, does not allow this. It takes one of: ${roles.join(', ')}.`,
    })
  }
  if (scope === null) throw new Refusal('member_required')
  if (!covers(actor.scopes, scope))
    throw new Refusal('scope_missing', { message: `This needs an API key with the scope ${scope}.` })
}
