import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createMember } from '../src/members/operations.ts'
import { hashPassword } from '../src/members/password.ts'
import type { Role } from '../src/organizations/schema.ts'
import type { World } from './world.ts'

export type SignedIn = {
  readonly id: string
  readonly email: string
  readonly password: string
  readonly token: string
  readonly cookie: string
  /** What a request of this member carries instead of the key. */
  readonly headers: { readonly authorization: string }
}

const password = 'correct horse battery'
const passwordHash = hashPassword(password)

/** A signed-in member of a role in the organization of a world. */
export async function memberOf(world: World, role: Role): Promise<SignedIn> {
  const email = `${role}-${randomUUID()}@members.example`
  const { organizationId } = world
  const wish = { organizationId, email, name: `A ${role}`, role, passwordHash: await passwordHash }
  await createMember(world.service.deps, wish)
  return signIn(world, email, password)
}

/** The owner every organization begins with, signed in. */
export function ownerOf(world: World): Promise<SignedIn> {
  return signIn(world, world.email, world.password)
}

export async function signIn({ service }: World, email: string, secret: string): Promise<SignedIn> {
  const response = await service.app.fastify.inject({
    method: 'POST',
    url: '/api/v1/auth/login',
    payload: { email, password: secret },
  })
  assert.equal(response.statusCode, 200, response.body)
  const { token, member } = response.json<{ data: { token: string; member: { id: string } } }>().data
  const cookie = String(response.headers['set-cookie']).split(';')[0]!
  return { id: member.id, email, password: secret, token, cookie, headers: { authorization: `Bearer ${token}` } }
}
