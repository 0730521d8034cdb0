import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memberOf, ownerOf } from './members.ts'
import { sampleOf, type Schema } from './samples.ts'
import { createWorld, type World } from './world.ts'

// Walks every route of the API description with the ids of another organization. A new route is walked by itself; a new
// kind of resource is made in `furnish`, so that there is something to be kept from strangers.

type Parameter = { $ref?: string; name: string; in: string; required?: boolean; schema: Schema }
type Operation = {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: { 'application/json': { schema: Schema } } }
}
type Route = { readonly path: string; readonly method: string; readonly operation: Operation }
type Headers = Record<string, string>
type Answer = { statusCode: number; body: string; json<T>(): T }

/** Not an organization's: currencies, and users of another company's wallet. */
const isNobodys = (parameter: string) => ['currency', 'publicId'].includes(parameter)
/** Lists that stay empty here: what they hold comes from faults of the outside world. */
const emptyLists = new Set(['/v1/review-items', '/v1/settlements'])
/** Bodies a sample cannot be made of from the schema alone. */
const bodies: Readonly<Record<string, unknown>> = { resendWebhookDeliveries: { status: 'failed', since: '2026-01-01' } }
/** What another organization may well be named in. */
const isPublic = (field: string) => ['destinationOrganizationId', 'institutionId'].includes(field)

async function routesOf({ service }: World): Promise<Route[]> {
  const { paths } = (await service.app.fastify.inject('/openapi.json')).json<{
    paths: Record<string, Record<string, Operation>>
  }>()
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ path, method, operation })),
  )
}

/** Gives an organization one of everything. */
async function furnish(world: World, routes: readonly Route[]): Promise<void> {
  const make = async (path: string, body: unknown): Promise<string> => {
    if (!routes.some((route) => route.method === 'post' && route.path === path.replace(/[0-9a-f-]{36}/, '{id}')))
      return ''
    const answer = await world.post(path, body)
    assert(answer.statusCode < 300, `${path}: ${answer.body}`)
    return answer.json<{ data: { id: string } }>().data.id
  }
  await make(`/organizations/${world.organizationId}/webhooks`, { url: 'http://127.0.0.1:9/' })
  await world.fund('NGN', 1_000_000)
  const customer = { firstName: 'Ada', lastName: 'Obi', email: 'ada@shop.example', identityType: 'BVN' }
  const customerId = await make('/v1/customers', { ...customer, identityNumber: '22123456789' })
  await make(`/v1/customers/${customerId}/virtual-accounts`, {})
  await make('/v1/virtual-accounts', {})
  await make('/v1/transfers', { reference: 't', sourceCurrency: 'NGN', targetCurrency: 'USD', sourceAmount: 1_500 })
  await make('/v1/payments', { reference: 'p', sourceCurrency: 'NGN', sourceAmount: 1_000, customerId })
  const destination = { accountType: 'bank_account', accountNumber: '0123456789', bankCode: '058' }
  const payoutAccountId = await make('/v1/payout-accounts', destination)
  await make('/v1/payouts', { reference: 'o', payoutAccountId, sourceAmount: 100 })
  await memberOf(world, 'viewer')
  // Lets everything that follows from this come to rest.
  await world.advance(600)
}

/** Finds the ids of an organization by listing as its owner, each list asked once. */
function idsOf(world: World, headers: Headers) {
  const asked = new Map<string, Promise<string | undefined>>()
  async function firstOf(list: string, parameter: string): Promise<string | undefined> {
    if (parameter === 'accountNumber') {
      const { data } = (await world.get('/v1/virtual-accounts', headers)).json<{ data: { accounts: Schema[] }[] }>()
      return String(data[0]?.accounts[0]?.['accountNumber'])
    }
    const answer = await world.get(list, headers)
    if (answer.statusCode !== 200) return undefined
    const { data } = answer.json<{ data: Schema[] | Record<string, Schema[]> }>()
    const rows = Array.isArray(data) ? data : Object.values(data).find((value) => Array.isArray(value))
    return rows?.[0]?.['id'] as string | undefined
  }
  return (list: string, parameter: string) => {
    const known = asked.get(list) ?? firstOf(list, parameter)
    asked.set(list, known)
    return known
  }
}

test("another organization's ids are unknown on every route, with a key and with a token", async (t) => {
  const [victim, stranger] = [await createWorld(t), await createWorld(t)]
  const routes = await routesOf(victim)
  await furnish(victim, routes)
  const owner = (await ownerOf(victim)).headers
  const idOf = idsOf(victim, owner)
  const before = await snapshot(victim, routes, owner)
  const token = (await ownerOf(stranger)).headers
  const missing = new Set<string>()
  let walked = 0

  for (const route of routes.filter(({ path }) => parametersOf(path).some((name) => !isNobodys(name)))) {
    for (const organizationId of new Set([victim.organizationId, stranger.organizationId])) {
      const target = await addressOf(route.path, organizationId, victim, idOf, missing)
      // One's own organization with nothing of another's in it is nobody else's business.
      if (!target.includes(victim.organizationId) && !target.isForeign) continue
      const byToken = await ask(stranger, route, target.path, token)
      assert.equal(byToken.statusCode, 404, `${route.method} ${target.path}: ${byToken.body}`)
      const byKey = await ask(stranger, route, target.path)
      assert(isUnknown(byKey), `${route.method} ${target.path}: ${byKey.body}`)
      walked += 1
    }
  }
  assert(walked > 20)
  assert.deepEqual(
    [...missing].filter((list) => !emptyLists.has(list)),
    [],
    'make one of these in furnish()',
  )
  assert.deepEqual(await snapshot(victim, routes, owner), before)
})

function isUnknown(answer: Answer): boolean {
  if (answer.statusCode === 404) return true
  return answer.statusCode === 403 && answer.json<{ error: { code: string } }>().error.code === 'member_required'
}

function parametersOf(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
}

const someId = '01900000-0000-7000-8000-000000000000'

/** Fills in a path: the organization as given, everything else the victim's. */
async function addressOf(
  template: string,
  organizationId: string,
  victim: World,
  idOf: ReturnType<typeof idsOf>,
  missing: Set<string>,
) {
  let path = ''
  let list = ''
  let isForeign = false
  for (const segment of template.split('/').slice(1)) {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1]
    const isOrganization = name === 'id' && path.endsWith('/organizations')
    if (!name) [path, list] = [`${path}/${segment}`, `${list}/${segment}`]
    else if (isOrganization) [path, list] = [`${path}/${organizationId}`, `${list}/${victim.organizationId}`]
    else if (isNobodys(name)) [path, list] = [`${path}/NGN`, `${list}/NGN`]
    else {
      // Sandbox commands name what the other lists list.
      const found = await idOf(list.replace('/v1/sandbox/', '/v1/'), name)
      if (!found) missing.add(list)
      isForeign = true
      ;[path, list] = [`${path}/${found ?? someId}`, `${list}/${found ?? someId}`]
    }
  }
  return { path, isForeign, includes: (text: string) => path.includes(text) }
}

function ask(world: World, { method, operation }: Route, path: string, headers: Headers = {}): Promise<Answer> {
  const schema = operation.requestBody?.content['application/json'].schema
  const body = bodies[operation.operationId] ?? (schema && sampleOf(schema))
  if (method === 'get') return world.get(path, headers)
  if (method === 'delete') return world.delete(path, headers)
  return world[method as 'post' | 'put' | 'patch'](path, body, headers)
}

/** All an organization can list, without what time alone changes. */
async function snapshot(world: World, routes: readonly Route[], headers: Headers): Promise<Record<string, string>> {
  const lists = routes.filter(({ path, method, operation }) => {
    const isWhole = !parametersOf(path.replace('organizations/{id}', '')).length
    return (
      method === 'get' &&
      isWhole &&
      !path.includes('sandbox') &&
      !operation.parameters?.some((one) => one.required && one.in === 'query')
    )
  })
  const entries = lists.map(async ({ path }) => {
    const { body } = await world.get(path.replace('{id}', world.organizationId), headers)
    return [path, body.replaceAll(/"(lastUsedAt|asOf|syncedAt)":"[^"]*"/g, '')] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

test("another organization's ids in a query find nothing, and in a body are refused", async (t) => {
  const [victim, stranger] = [await createWorld(t), await createWorld(t)]
  const routes = await routesOf(victim)
  await furnish(victim, routes)
  await stranger.fund('NGN', 1_000_000)
  const idOf = idsOf(victim, (await ownerOf(victim)).headers)
  const foreignOf = async (field: string) => {
    const list = `/v1/${field.replace(/Id$/, '').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}s`
    return (await idOf(list, field)) ?? someId
  }
  for (const route of routes.filter(({ path }) => parametersOf(path).length === 0)) {
    for (const { name, in: place } of route.operation.parameters ?? []) {
      if (place !== 'query' || !name.endsWith('Id')) continue
      const answer = await stranger.get(`${route.path}?${name}=${await foreignOf(name)}`)
      assert.equal(answer.statusCode, 200, answer.body)
      assert.equal(answer.json<{ data: { pagination: { total: number } } }>().data.pagination.total, 0, route.path)
    }
    const schema = route.operation.requestBody?.content['application/json'].schema
    for (const field of Object.keys((schema?.['properties'] ?? {}) as object)) {
      if (!schema || !field.endsWith('Id') || isPublic(field)) continue
      const body = { ...(sampleOf(schema) as object), [field]: await foreignOf(field) }
      const refused = await stranger.post(route.path, body)
      assert(refused.statusCode >= 400 && refused.statusCode < 500, `${route.path} ${field}: ${refused.body}`)
    }
  }
})
