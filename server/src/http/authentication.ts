import type { FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import { createKeyring, unauthenticated } from '../organizations/keyring.ts'
import type { Role } from '../organizations/schema.ts'
import { covers, permissions, type OperationId, type Permission } from './permissions.ts'

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
    deps: Deps
    rawBody: Buffer | null
  }
  interface FastifyContextConfig {
    operationId?: OperationId
  }
}

/** Credential, then permission: in the order the contract lists faults, before a byte of the body is read. */
export function authentication(deps: Deps) {
  const keyring = createKeyring(deps)
  return async (request: FastifyRequest): Promise<void> => {
    const operationId = request.routeOptions.config.operationId
    if (!operationId) return
    const holder = await keyring.holderOf(credentialOf(request))
    request.organizationId = holder.organizationId
    request.actor = {
      type: 'key',
      id: holder.apiKeyId,
      scopes: holder.scopes,
      madeBy: holder.createdBy,
      ip: request.ip,
    }
    request.log = request.log.child({ organizationId: holder.organizationId })
    permit(permissions[operationId], holder.scopes)
  }
}

function credentialOf(request: FastifyRequest): string {
  const match = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')
  if (!match?.[1]) throw unauthenticated('credential_missing')
  return match[1]
}

function permit({ scope }: Permission, held: readonly string[]): void {
  if (scope === null) throw new Refusal('member_required')
  if (!covers(held, scope))
    throw new Refusal('scope_missing', { message: `This needs an API key with the scope ${scope}.` })
}
