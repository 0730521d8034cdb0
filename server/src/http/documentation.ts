import type { FastifyInstance } from 'fastify'
import scalar from '@scalar/fastify-api-reference'
import type { Deps } from '../deps.ts'
import { documenting } from './openapi.ts'

/**
 * The reference is one page with one script, both served from here. The script evaluates templates and sets styles
 * inline, hence the two "unsafe" words; nothing may be loaded from, or sent, anywhere else.
 */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The API description for programs, and the same for people. */
export async function documentationRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  const document = documenting(app, deps)
  for (const url of ['/openapi.json', '/api/openapi.json']) {
    app.get(url, { schema: { hide: true } }, async () => document())
  }
  // Browsers ask for one whatever a page says.
  app.get('/favicon.ico', { schema: { hide: true } }, async (_request, reply) => reply.code(204).send())
  await app.register(async (docs) => {
    docs.addHook('onRequest', async (_request, reply) => {
      void reply.headers({ 'content-security-policy': pagePolicy, 'cache-control': 'no-cache' })
    })
    await docs.register(scalar, {
      routePrefix: '/docs',
      configuration: {
        url: '/openapi.json',
        pageTitle: 'Kolo API',
        withDefaultFonts: false,
        telemetry: false,
        hideClientButton: true,
        agent: { disabled: true },
        mcp: { disabled: true },
        showDeveloperTools: 'never',
      } as never,
    })
  })
}
