import type { FastifyReply } from 'fastify'
import type { Api } from '../app.ts'
import type { Deps } from '../deps.ts'
import { bearerOf } from '../http/authentication.ts'
import { refusing, refusingAnyone } from '../http/schemas.ts'
import { clearRefreshCookie, refreshCookie, setRefreshCookie } from './cookie.ts'
import { acceptInvite, changePassword, login, logout, refresh, type SignIn } from './operations.ts'
import { AcceptInvite, Login, PasswordChange, PasswordChangedBody, SignedInBody, SignedOutBody } from './schema.ts'

export function authRoutes(app: Api): void {
  const config = { idempotency: 'none' } as const
  const tags = ['Sign-in']

  app.post('/v1/auth/login', {
    config,
    schema: {
      operationId: 'login',
      summary: 'Sign in',
      description: 'Answers a token for 15 minutes and sets a cookie that /v1/auth/refresh exchanges for a new one.',
      tags,
      body: Login,
      response: { 200: SignedInBody, ...refusingAnyone('sign_in_failed', 'too_many_failures') },
    },
    handler: async ({ deps, body, ip }, reply) => welcome(deps, reply, await login(deps, body, ip)),
  })

  app.post('/v1/auth/refresh', {
    config,
    schema: {
      operationId: 'refreshSession',
      summary: 'Exchange the refresh cookie for a new token',
      description: 'A cookie can be used once. One that is used again was stolen, and ends its session.',
      tags,
      response: {
        200: SignedInBody,
        ...refusingAnyone('credential_missing', 'credential_invalid', 'credential_revoked'),
      },
    },
    handler: async (request, reply) => {
      const { deps, ip } = request
      return welcome(deps, reply, await refresh(deps, refreshCookie(request), ip))
    },
  })

  app.post('/v1/auth/logout', {
    config,
    schema: {
      operationId: 'logout',
      summary: 'Sign out',
      description: 'Ends the session of the refresh cookie, or of the token sent; both are refused from then on.',
      tags,
      response: { 200: SignedOutBody, ...refusingAnyone() },
    },
    handler: async (request, reply) => {
      const { deps, ip } = request
      await logout(deps, refreshCookie(request), bearerOf(request), ip)
      clearRefreshCookie(deps, reply)
      return { data: { signedOut: true } }
    },
  })

  app.post('/v1/auth/password', {
    config,
    schema: {
      operationId: 'changePassword',
      summary: 'Change your password',
      description: 'All your other sessions end.',
      tags,
      body: PasswordChange,
      response: { 200: PasswordChangedBody, ...refusing('password_wrong', 'too_many_failures') },
    },
    handler: async ({ deps, organizationId, actor, sessionId, body }) => ({
      data: await changePassword(deps, organizationId, { actor, sessionId }, body),
    }),
  })

  app.post('/v1/auth/accept-invite', {
    config,
    schema: {
      operationId: 'acceptInvite',
      summary: 'Accept an invitation and sign in',
      description: 'The token is the last part of the link of the invitation.',
      tags,
      body: AcceptInvite,
      response: { 200: SignedInBody, ...refusingAnyone('invite_not_found', 'invite_used', 'invite_expired') },
    },
    handler: async ({ deps, body, ip }, reply) => welcome(deps, reply, await acceptInvite(deps, body, ip)),
  })
}

function welcome(deps: Deps, reply: FastifyReply, { body, refreshToken, expiresAt }: SignIn) {
  setRefreshCookie(deps, reply, refreshToken, expiresAt)
  return { data: body }
}
