import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { auditOrganization } from '../src/audit/operations.ts'
import { createOrganization } from '../src/organizations/operations.ts'
import { createService, type TestService } from './service.ts'

type Body = Record<string, unknown>
type Headers = Record<string, string>

/** A fresh organization and the ways to talk to the service as it. */
export type World = {
  readonly service: TestService
  readonly organizationId: string
  readonly apiKey: string
  readonly email: string
  readonly password: string
  get(path: string, headers?: Headers): Promise<LightMyRequestResponse>
  post(path: string, body?: unknown, headers?: Headers): Promise<LightMyRequestResponse>
  put(path: string, body?: unknown, headers?: Headers): Promise<LightMyRequestResponse>
  patch(path: string, body?: unknown, headers?: Headers): Promise<LightMyRequestResponse>
  delete(path: string, headers?: Headers): Promise<LightMyRequestResponse>
  fund(currency: string, amount: number): Promise<void>
  balance(currency: string): Promise<number>
  advance(seconds: number): Promise<Body & { complete: boolean; total: number }>
}

let shared: Promise<TestService> | undefined

/** One service per test file. */
export function sharedService(): Promise<TestService> {
  return (shared ??= createService())
}

/** A fresh organization on the file's service. Closing it checks the books, their seals and the event trail. */
export async function createWorld(
  t: TestContext,
  service?: TestService,
  /** Only for books that a test spoils on purpose. */
  { isAudited = true }: { isAudited?: boolean } = {},
): Promise<World> {
  const on = service ?? (await sharedService())
  const founded = await createOrganization(on.deps, 'World')
  if (isAudited) t.after(() => checkBooks(on, founded.organizationId))
  return worldOf(on, founded)
}

export async function checkBooks({ deps }: TestService, organizationId: string): Promise<void> {
  const findings = await auditOrganization(deps, organizationId)
  assert.deepEqual(findings, [])
}

function worldOf(
  service: TestService,
  founded: { organizationId: string; apiKey: string; email: string; password: string },
): World {
  const send = (method: InjectOptions['method'], path: string, body: unknown, headers: Headers = {}) =>
    service.app.fastify.inject({
      method: method ?? 'GET',
      url: `/api${path}`,
      headers: {
        authorization: `Bearer ${founded.apiKey}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  const world: World = {
    service,
    ...founded,
    get: (path, headers) => send('GET', path, undefined, headers),
    post: (path, body, headers) => send('POST', path, body, headers),
    put: (path, body, headers) => send('PUT', path, body, headers),
    patch: (path, body, headers) => send('PATCH', path, body, headers),
    delete: (path, headers) => send('DELETE', path, undefined, headers),
    async fund(currency, amount) {
      assert.equal((await world.post(`/v1/sandbox/wallets/${currency}/fund`, { amount })).statusCode, 202)
    },
    async balance(currency) {
      return (await world.get(`/v1/wallets/${currency}`)).json<{ data: { balance: number } }>().data.balance
    },
    async advance(seconds) {
      const response = await world.post('/v1/sandbox/clock/advance', { seconds })
      assert.equal(response.statusCode, 200, response.body)
      return response.json<{ data: Body & { complete: boolean; total: number } }>().data
    },
  }
  return world
}

/** Waits until a condition holds; fails with its name when it does not in time. */
export async function eventually(
  what: string,
  isTrue: () => Promise<boolean> | boolean,
  timeoutMs = 10_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await isTrue())) {
    if (performance.now() > deadline) assert.fail(`not in time: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
