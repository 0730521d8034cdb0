import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'

const NAME = 'kolo_visit'
/** After the payment has ended, its payer can look at the result for as long as this. */
const RESULT_SECONDS = 7 * 24 * 60 * 60

export function visitOf(request: FastifyRequest): string | undefined {
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const [name, value] = part.trim().split('=', 2)
    if (name === NAME && value) return value
  }
  return undefined
}

/** Out of reach of scripts, not sent with other sites' requests, and only to this one payment's page. */
export function rememberVisit(
  deps: Deps,
  reply: FastifyReply,
  { path, visit, expiresAt }: { path: string; visit: string; expiresAt: Date },
): void {
  const leftMs = expiresAt.getTime() - deps.now().getTime()
  const maxAgeSeconds = Math.max(0, Math.ceil(leftMs / 1000)) + RESULT_SECONDS
  const isSecure = deps.publicUrl().startsWith('https:')
  void reply.header(
    'set-cookie',
    `${NAME}=${visit}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`,
  )
}

/** A HEAD or a fetch ahead of time is nobody looking: it opens nothing. */
export function isLooked({ method, headers }: FastifyRequest): boolean {
  const purpose = `${String(headers['sec-purpose'] ?? '')} ${String(headers['purpose'] ?? '')} ${String(headers['x-moz'] ?? '')}`
  return method === 'GET' && !/prefetch|prerender|preview/i.test(purpose)
}

/**
 * Whether a page of ours sent this. Browsers say so in Sec-Fetch-Site where the connection is trusted, and in Origin
 * otherwise; a request that carries neither is not a browser's form.
 */
export function isFromOurPage({ headers }: FastifyRequest, publicUrl: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const origin = headers.origin === undefined ? null : URL.parse(headers.origin)
  return origin !== null && (origin.origin === publicUrl || origin.host === headers.host)
}
