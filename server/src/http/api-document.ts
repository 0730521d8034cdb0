import { refusals } from '../errors.ts'

type Node = Record<string, unknown>
type Response = { description: string; headers?: Node; content?: Record<string, { schema: Node }> }
type Operation = {
  operationId: string
  tags?: string[]
  parameters?: Node[]
  requestBody?: Node
  security?: Node[]
  responses: Record<string, Response>
}
type Document = { paths: Record<string, Record<string, Operation>>; components: Node; webhooks?: Node } & Node

/** What our validator reads and nobody else understands. `x-fault` and `x-exactlyOneOf` become sentences instead. */
const internalKeywords = new Set(['x-fault', 'x-currency', 'x-instant', 'x-amounts', 'x-exactlyOneOf'])

/**
 * Makes the document that routes and their schemas gave into one for readers: records are named once and referred to,
 * every answer says what it means, headers are listed, and our own keywords become words.
 */
export function finishDocument(raw: object): Document {
  const document = structuredClone(raw) as Document
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) finishOperation(path, method, operation)
  }
  const paths = plain(document.paths, false) as Document['paths']
  const webhooks = plain(document.webhooks ?? {}, false)
  const records = namedRecords(paths)
  const schemas = Object.fromEntries([...records].map(([text, name]) => [name, JSON.parse(text) as Node]))
  return {
    ...document,
    tags: tagsOf(paths),
    paths: referring(paths, records) as Document['paths'],
    webhooks: referring(webhooks, records) as Node,
    components: { ...document.components, schemas: { ...schemas, Error: errorSchema }, parameters, headers },
  }
}

const errorSchema = {
  type: 'object',
  required: ['error'],
  description: 'The body of every refusal.',
  properties: {
    error: {
      type: 'object',
      required: ['type', 'code', 'message', 'requestId'],
      properties: {
        type: { type: 'string', enum: [...new Set(Object.values(refusals).map(([, type]) => type))] },
        code: { type: 'string', enum: Object.keys(refusals), description: 'What a program should look at.' },
        message: { type: 'string', description: 'What a person should read.' },
        param: { type: 'string', description: 'The first field at fault.' },
        details: {
          type: 'array',
          description: 'Every fault found.',
          items: {
            type: 'object',
            required: ['param', 'message'],
            properties: { param: { type: 'string' }, message: { type: 'string' } },
          },
        },
        requestId: { type: 'string', description: 'The X-Request-Id of the answer that first said so.' },
      },
    },
  },
}

const parameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes the request safe to repeat for 24 hours: the same key with the same request gets the first answer again, byte for byte. A new request needs a new key.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]*$' },
  },
}

const headers = {
  XRequestId: {
    description: 'Names this request in our logs. Your own is kept when it is 1 to 128 characters of A-Za-z0-9._:-',
    schema: { type: 'string' },
  },
  IdempotentReplayed: {
    description: '`true` when this is the kept answer to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
  RateLimitPolicy: {
    description: 'How many requests of a kind a key or member may make in a window of seconds: `"reads";q=100;w=1`.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'How many of them are left, and in how many seconds the window ends: `"reads";r=42;t=1`.',
    schema: { type: 'string' },
  },
  RetryAfter: { description: 'Seconds to wait before asking again.', schema: { type: 'string' } },
  WwwAuthenticate: { description: '`Bearer`', schema: { type: 'string' } },
}

const limitHeaders = {
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
  RateLimit: { $ref: '#/components/headers/RateLimit' },
}

function finishOperation(path: string, method: string, operation: Operation): void {
  const mayRepeat = method === 'post' && !/^\/v1\/(auth|sandbox)\//.test(path)
  if (operation.requestBody) operation.requestBody = plain(operation.requestBody, true) as Node
  operation.parameters = [
    ...((plain(operation.parameters ?? [], true) as Node[]) ?? []),
    ...(mayRepeat ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ]
  if (operation.parameters.length === 0) delete operation.parameters
  for (const [status, response] of Object.entries(operation.responses)) {
    const isSuccess = status.startsWith('2')
    if (isSuccess) response.description = successOf(method, status)
    else referToError(response)
    response.headers = {
      'X-Request-Id': { $ref: '#/components/headers/XRequestId' },
      ...(mayRepeat && !/^(400|401|403|413|415|429|5..)$/.test(status)
        ? { 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } }
        : {}),
      ...(['429', '503'].includes(status) ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } : {}),
      ...(operation.security?.length && status !== '401' ? limitHeaders : {}),
      ...(status === '401' ? { 'WWW-Authenticate': { $ref: '#/components/headers/WwwAuthenticate' } } : {}),
      ...response.headers,
    }
  }
}

function successOf(method: string, status: string): string {
  if (status === '201') return 'It was created.'
  if (status === '202') return 'It was taken up; its effect follows.'
  return method === 'get' ? 'What was asked for.' : 'It was done.'
}

/** The error body is one schema; an answer adds which codes it can carry. */
function referToError(response: Response): void {
  const content = response.content?.['application/json']
  const code = at(content?.schema, 'properties', 'error', 'properties', 'code')
  if (!content || !code) return
  content.schema = {
    allOf: [
      { $ref: '#/components/schemas/Error' },
      { type: 'object', properties: { error: { type: 'object', properties: { code: { enum: code['enum'] } } } } },
    ],
  }
}

/** Copies a part of the document without our keywords; where `isAsked`, what they demand is put into words. */
function plain(node: unknown, isAsked: boolean): unknown {
  if (Array.isArray(node)) return node.map((item) => plain(item, isAsked))
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).filter(([name]) => !internalKeywords.has(name))
  const copy: Node = Object.fromEntries(entries.map(([name, value]) => [name, plain(value, isAsked)]))
  const words = isAsked ? demandsOf(node as Node) : ''
  if (words && typeof copy['description'] !== 'string') copy['description'] = words
  return copy
}

function demandsOf({ 'x-fault': fault, 'x-exactlyOneOf': names }: Node): string {
  if (Array.isArray(names)) return `Exactly one of ${names.join(' and ')} must be given.`
  return typeof fault === 'string' ? `${fault.slice(0, 1).toUpperCase()}${fault.slice(1)}.` : ''
}

/** Records by their text: what `getX` answers is an X, wherever else it occurs. */
function namedRecords(paths: Document['paths']): Map<string, string> {
  const records = new Map<string, string>()
  for (const { operationId, responses } of Object.values(paths).flatMap((operations) => Object.values(operations))) {
    const body = at(responses['200']?.content?.['application/json']?.schema, 'properties', 'data')
    const name = /^get([A-Z]\w+)$/.exec(operationId)?.[1]
    if (name && body?.['properties']) records.set(JSON.stringify(body), name)
    const pagination = at(body, 'properties', 'pagination')
    if (pagination && operationId.startsWith('list') && at(pagination, 'properties', 'nextCursor'))
      records.set(JSON.stringify(pagination), 'Pagination')
  }
  return records
}

function referring(node: unknown, records: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(node)) return node.map((item) => referring(item, records))
  if (typeof node !== 'object' || node === null) return node
  const name = 'properties' in node ? records.get(JSON.stringify(node)) : undefined
  if (name) return { $ref: `#/components/schemas/${name}` }
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, referring(value, records)]))
}

function tagsOf(paths: Document['paths']): { name: string }[] {
  const names = Object.values(paths).flatMap((operations) => Object.values(operations).flatMap(({ tags = [] }) => tags))
  return [...new Set([...names, 'Webhooks'])].map((name) => ({ name }))
}

function at(node: Node | undefined, ...path: string[]): Node | undefined {
  return path.reduce<Node | undefined>((found, name) => found?.[name] as Node | undefined, node)
}

/** The whole catalogue of codes, for the description. */
export function errorOverview(): string {
  return Object.entries(refusals)
    .map(([code, [status, , message]]) => `- ${status} \`${code}\`: ${message}`)
    .join('\n')
}

/** A schema for readers outside, without our keywords. */
export function plainSchema(schema: object): Node {
  return plain(schema, false) as Node
}
