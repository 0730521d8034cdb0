import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../errors.ts'
import { createIntake } from './intake.ts'
import { takeNotice } from './operations.ts'

const MAX_NOTICE_BYTES = 256 * 1024

/** `POST {origin}/rails/{rail}/notices`: raw bytes in, 200 out. Outside the API: its credential is the signature. */
export async function noticeRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  const intake = createIntake(deps)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.post<{ Params: { rail: string } }>(
    '/rails/:rail/notices',
    { bodyLimit: MAX_NOTICE_BYTES, schema: { hide: true } },
    async (request) => {
      const rail = deps.rails.find(request.params.rail)
      if (!rail) throw new Refusal('route_not_found')
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      await takeNotice(deps, intake, rail, request.headers as Record<string, string | undefined>, body)
      return { received: true }
    },
  )
}
