import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { wallNow } from '../clock.ts'

const NAME = 'kolo_refresh'
/** The cookie is sent to these routes only. */
const PATH = '/api/v1/auth'

/** The refresh token a browser brings. */
export function refreshCookie({ headers }: FastifyRequest): string | undefined {
  const parts = (headers.cookie ?? '').split(';').map((part) => part.trim())
  return parts.find((part) => part.startsWith(`${NAME}=`))?.slice(NAME.length + 1)
}

/** Out of reach of scripts and of other sites; over TLS only, wherever the deployment is reached by it. */
export function setRefreshCookie({ publicUrl }: Deps, reply: FastifyReply, token: string, expiresAt: Date): void {
  const seconds = Math.max(0, Math.floor((expiresAt.getTime() - wallNow().getTime()) / 1000))
  const secure = publicUrl().startsWith('https:') ? '; Secure' : ''
  void reply.header(
    'set-cookie',
    `${NAME}=${token}; Path=${PATH}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`,
  )
}

export function clearRefreshCookie(deps: Deps, reply: FastifyReply): void {
  setRefreshCookie(deps, reply, '', wallNow())
}
