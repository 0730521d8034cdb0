import type { Api } from '../app.ts'
import { ById, refusing } from '../http/schemas.ts'
import { onlyOwn } from '../organizations/operations.ts'
import { changeRole, inviteMember, listMembers, refuseOwnerFor, removeMember } from './operations.ts'
import { ByMember, InvitedBody, MemberBody, MemberChange, MemberPage, MemberQuery, NewMember } from './schema.ts'

export function memberRoutes(app: Api): void {
  app.post('/v1/organizations/:id/members', {
    config: { answersSecret: true },
    schema: {
      operationId: 'inviteMember',
      summary: 'Invite a member',
      description: 'The answer carries the link of the invitation, good for 72 hours, and never again.',
      tags: ['Members'],
      params: ById,
      body: NewMember,
      response: { 201: InvitedBody, ...refusing('not_found', 'email_taken') },
    },
    // Before a kept answer is given again: it carries an invitation, which is for those who may send it.
    preHandler: async ({ actor, body }) => refuseOwnerFor(actor, body.role),
    handler: async ({ deps, organizationId, actor, params, body }) => {
      onlyOwn(organizationId, params.id)
      return { data: await inviteMember(deps, organizationId, actor, body) }
    },
  })

  app.get('/v1/organizations/:id/members', {
    schema: {
      operationId: 'listMembers',
      summary: 'List members',
      tags: ['Members'],
      params: ById,
      querystring: MemberQuery,
      response: { 200: MemberPage, ...refusing('not_found') },
    },
    handler: async ({ deps, organizationId, params, query }) => {
      onlyOwn(organizationId, params.id)
      return { data: await listMembers(deps, organizationId, query) }
    },
  })

  app.patch('/v1/organizations/:id/members/:memberId', {
    schema: {
      operationId: 'changeMemberRole',
      summary: 'Give a member another role',
      description: 'Takes effect at once, also for tokens already given out. Only an owner may touch an owner.',
      tags: ['Members'],
      params: ByMember,
      body: MemberChange,
      response: { 200: MemberBody, ...refusing('not_found', 'last_owner') },
    },
    handler: async ({ deps, organizationId, actor, params, body }) => {
      onlyOwn(organizationId, params.id)
      return { data: await changeRole(deps, organizationId, actor, params.memberId, body.role) }
    },
  })

  app.delete('/v1/organizations/:id/members/:memberId', {
    schema: {
      operationId: 'removeMember',
      summary: 'Remove a member',
      description: 'Takes effect at once, also for tokens already given out. Only an owner may touch an owner.',
      tags: ['Members'],
      params: ByMember,
      response: { 200: MemberBody, ...refusing('not_found', 'last_owner') },
    },
    handler: async ({ deps, organizationId, actor, params }) => {
      onlyOwn(organizationId, params.id)
      return { data: await removeMember(deps, organizationId, actor, params.memberId) }
    },
  })
}
