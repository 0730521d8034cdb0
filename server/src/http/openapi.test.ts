import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import buildSerializer, { type AnySchema } from 'fast-json-stringify'
import { sharedService } from '../../test/world.ts'
import { refusals } from '../errors.ts'
import { eventTypes } from '../events/catalogue.ts'
import { permissions } from './permissions.ts'

type Schema = Record<string, unknown>
type Response = { description: string; headers?: Record<string, Schema>; content?: Record<string, { schema: Schema }> }
type Parameter = { $ref?: string; name: string; in: string; required?: boolean; schema: Schema }
type Operation = {
  operationId: string
  summary: string
  tags: string[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, Response>
  security: Record<string, string[]>[]
}
type Document = {
  openapi: string
  info: { version: string; title: string; description: string }
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: Record<string, Record<string, Schema>>
  tags: { name: string }[]
}

async function describe(): Promise<Document> {
  const { app } = await sharedService()
  const answer = await app.fastify.inject('/openapi.json')
  assert.equal(answer.statusCode, 200)
  return answer.json<Document>()
}

function operationsOf({ paths }: Document) {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ path, method, operation })),
  )
}

/** Every value in the document with the names that lead to it. */
function* walk(node: unknown, path: string): Generator<[path: string, node: Schema]> {
  if (typeof node !== 'object' || node === null) return
  yield [path, node as Schema]
  for (const [name, value] of Object.entries(node)) yield* walk(value, `${path}/${name}`)
}

test('the description is OpenAPI 3.1, version 1.0.0, with paths under the server', async () => {
  const document = await describe()
  assert.match(document.openapi, /^3\.1\./)
  assert.equal(document.info.version, '1.0.0')
  assert.match(document.servers[0]!.url, /\/api$/)
  const paths = Object.keys(document.paths)
  assert.deepEqual(
    paths.filter((path) => !/^\/(v1|organizations\/\{id\}\/webhooks)(\/|$)/.test(path)),
    [],
  )
})

test('it is served under the base address too', async () => {
  const { app } = await sharedService()
  assert.equal((await app.fastify.inject('/api/openapi.json')).body, (await app.fastify.inject('/openapi.json')).body)
})

test('every reference leads somewhere, and our own keywords stay inside', async () => {
  const document = await describe()
  const missing: string[] = []
  for (const [path, node] of walk(document, '')) {
    const ref = node['$ref']
    if (typeof ref === 'string' && !found(document, ref)) missing.push(`${path}: ${ref}`)
    for (const name of Object.keys(node)) if (/^x-(?!scope$|roles$)/.test(name)) missing.push(`${path}: ${name}`)
  }
  assert.deepEqual(missing, [])
})

function found(document: Document, ref: string): boolean {
  const names = ref.replace(/^#\//, '').split('/')
  return names.reduce<unknown>((node, name) => (node as Schema | undefined)?.[name], document) !== undefined
}

const pointerOf = (names: string[]) =>
  `#/${names.map((name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`

test('every schema in it is a valid JSON Schema', async () => {
  const document = await describe()
  const ajv = new Ajv2020({
    strict: false,
    formats: { uuid: true, 'date-time': true, date: true, uri: true, email: true },
  })
  ajv.addSchema({ ...document, $id: 'kolo:api' })
  const schemas = operationsOf(document).flatMap(({ path, method, operation }) =>
    [
      ...Object.keys(operation.requestBody?.content ?? {}).map((type) => ['requestBody', 'content', type]),
      ...answersOf(operation).map(({ status, type }) => ['responses', status, 'content', type]),
      ...(operation.parameters ?? []).flatMap(({ $ref }, at) => ($ref ? [] : [['parameters', String(at)]])),
    ].map((names) => ['paths', path, method, ...names, 'schema']),
  )
  const named = Object.keys(document.components['schemas']!).map((name) => ['components', 'schemas', name])
  assert(schemas.length > 100 && named.length > 10)
  for (const names of [...schemas, ...named])
    assert.doesNotThrow(() => ajv.compile({ $ref: `kolo:api${pointerOf(names)}` }), names.join(' '))
})

test('every answer can be written by its schema', async () => {
  const document = await describe()
  for (const { path, method, operation } of operationsOf(document))
    for (const { status, schema } of answersOf(operation))
      assert.doesNotThrow(
        () => buildSerializer({ ...schema, components: document.components } as AnySchema),
        `${method} ${path} ${status}`,
      )
})

function answersOf({ responses }: Operation) {
  return Object.entries(responses).flatMap(([status, { content }]) =>
    Object.entries(content ?? {}).map(([type, { schema }]) => ({ status, type, schema })),
  )
}

test('every operation says what it is, what it answers and what it refuses', async () => {
  const document = await describe()
  const ids = new Set<string>()
  for (const { path, method, operation } of operationsOf(document)) {
    const name = `${method} ${path}`
    assert(operation.operationId && operation.summary && operation.tags.length === 1, name)
    assert(!ids.has(operation.operationId), `${operation.operationId} twice`)
    ids.add(operation.operationId)
    assert(
      Object.keys(operation.responses).some((status) => status.startsWith('2')),
      name,
    )
    for (const [status, response] of Object.entries(operation.responses)) {
      assert(response.description && !response.description.startsWith('Default'), `${name} ${status}`)
      assert(response.headers?.['X-Request-Id'], `${name} ${status}`)
    }
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => String(parameter))
    const described = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
    assert.deepEqual(described.map((parameter) => parameter.name).toSorted(), named.toSorted(), name)
    assert(
      described.every(({ required }) => required),
      name,
    )
  }
  assert.deepEqual([...ids].toSorted(), Object.keys(permissions).toSorted())
})

test('every operation takes the API key or the JWT, except those that give one', async () => {
  const document = await describe()
  assert.deepEqual(Object.keys(document.components['securitySchemes']!).toSorted(), ['apiKey', 'jwt'])
  for (const { path, operation } of operationsOf(document)) {
    if (path.startsWith('/v1/auth/')) continue
    assert.deepEqual(operation.security, [{ apiKey: [] }, { jwt: [] }], path)
  }
})

test('every POST takes an Idempotency-Key, except sign-in and the sandbox', async () => {
  const document = await describe()
  for (const { path, method, operation } of operationsOf(document)) {
    const takes = (operation.parameters ?? []).some(({ $ref }) => $ref?.endsWith('/IdempotencyKey'))
    assert.equal(takes, method === 'post' && !/^\/v1\/(auth|sandbox)\//.test(path), `${method} ${path}`)
  }
})

test('every code of the catalogue is in it with its sentence', async () => {
  const { info, components } = await describe()
  for (const [code, [, , sentence]] of Object.entries(refusals)) {
    assert(info.description.includes(`\`${code}\`: ${sentence}`), code)
  }
  const text = JSON.stringify(components['schemas']!['Error'])
  for (const code of Object.keys(refusals)) assert(text.includes(`"${code}"`), code)
})

test('it has one webhook per type of event, keyed by it', async () => {
  const { webhooks } = await describe()
  assert.deepEqual(Object.keys(webhooks).toSorted(), [...eventTypes].toSorted())
})

test('an operation lists also what is refused before it begins', async () => {
  const listed = (responses: Operation['responses'], status: string) =>
    JSON.stringify(responses[status]?.content?.['application/json']?.schema ?? '')
  for (const { path, method, operation } of operationsOf(await describe())) {
    const { responses } = operation
    const mayRepeat = method === 'post' && !/^\/v1\/(auth|sandbox)\//.test(path)
    assert.equal(listed(responses, '415').includes('media_type_unsupported'), 'requestBody' in operation, path)
    assert.equal(listed(responses, '413').includes('body_too_large'), 'requestBody' in operation, path)
    assert.equal(listed(responses, '422').includes('idempotency_key_reused'), mayRepeat, path)
    assert.equal(listed(responses, '409').includes('idempotency_key_in_use'), mayRepeat, path)
  }
})
