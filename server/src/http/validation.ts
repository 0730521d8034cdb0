import { Ajv, type AnySchemaObject, type ErrorObject, type SchemaValidateFunction } from 'ajv'
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify'
import type { Config } from '../config.ts'
import { invalid, MOST_FAULTS_TOLD, Refusal, type FaultDetail } from '../errors.ts'
import { isCurrency, type Currency } from '../money/currencies.ts'
import { amountFaults, parseMajor } from '../money/money.ts'
import { atFirstUse } from '../first-use.ts'

/** The names of our own keywords, with what each demands. */
const keywords = ['x-fault', 'x-currency', 'x-instant', 'x-amounts', 'x-exactlyOneOf'] as const

/** Schema validation: bodies are taken as they are; query and path values are text and are read as what they stand for. */
export function validatorCompiler(config: Config): FastifySchemaCompiler<AnySchemaObject> {
  const common = {
    allErrors: true,
    verbose: true,
    strict: false,
    formats: { uuid: true, 'date-time': true, date: true, uri: true },
  } as const
  const bodies = addKeywords(new Ajv({ ...common, coerceTypes: false }), config)
  const texts = addKeywords(new Ajv({ ...common, coerceTypes: true }), config)
  return ({ schema, httpPart }) => {
    const validator = atFirstUse(() => (httpPart === 'body' ? bodies : texts).compile(schema))
    return (value: unknown) => {
      const validate = validator()
      return validate(value) ? { value } : { error: refusalOf(validate.errors ?? []) }
    }
  }
}

/** A fault of one part of a request as the faults of all its parts; any other error as it is. */
export function allFaults(error: Error, request: FastifyRequest): Error {
  return 'validationContext' in error && error instanceof Refusal ? invalid(...shapeFaults(request)) : error
}

/** Every fault of a request's shape: of its path, its query and its body, so that one answer lists them all. */
export function shapeFaults(request: FastifyRequest): FaultDetail[] {
  return [
    ...faultsOf('params', request.params),
    ...faultsOf('querystring', request.query),
    ...onePerPlace([...(request.bodyFaults ?? []), ...faultsOf('body', request.body)]),
  ]

  function faultsOf(part: 'params' | 'querystring' | 'body', value: unknown): readonly FaultDetail[] {
    const validate = request.getValidationFunction(part) as ((value: unknown) => { error?: Refusal }) | undefined
    return validate?.(value).error?.extras.details ?? []
  }
}

/** The first fault of each place: what follows from it is not worth telling. */
export function onePerPlace(faults: readonly FaultDetail[]): FaultDetail[] {
  const told = new Set<string>()
  return faults.filter(({ param }) => !told.has(param) && told.add(param))
}

function addKeywords(ajv: Ajv, config: Config): Ajv {
  ajv.addKeyword({ keyword: 'x-fault', valid: true })
  ajv.addKeyword({
    keyword: 'x-currency',
    type: 'string',
    validate: fault((_, value: string) =>
      isCurrency(value) && !config.currencies.includes(value)
        ? [{ param: '', message: `must be one of ${config.currencies.join(', ')}` }]
        : [],
    ),
  })
  ajv.addKeyword({
    keyword: 'x-instant',
    type: 'string',
    validate: fault((_, value: string) =>
      isRealInstant(value) ? [] : [{ param: '', message: 'must be a real date' }],
    ),
  })
  ajv.addKeyword({ keyword: 'x-exactlyOneOf', type: 'object', validate: fault(exactlyOneOf) })
  ajv.addKeyword({ keyword: 'x-amounts', type: 'object', validate: fault(amountsFit) })
  return ajv
}

type Fields = Readonly<Record<string, unknown>>

/** Makes an Ajv keyword of a function that lists faults. */
function fault<Schema, Value>(find: (schema: Schema, value: Value) => FaultDetail[]) {
  const validate: SchemaValidateFunction = (schema: Schema, value: Value, _parent, context) => {
    const faults = find(schema, value)
    validate.errors = faults.map(({ param, message }) => ({
      keyword: keywords[0],
      message,
      instancePath: `${context?.instancePath ?? ''}${param && `/${param}`}`,
    }))
    return faults.length === 0
  }
  return validate
}

function exactlyOneOf(names: readonly string[], value: Fields): FaultDetail[] {
  const given = names.filter((name) => value[name] !== undefined && value[name] !== null)
  if (given.length === 1) return []
  return [{ param: given[1] ?? names[0]!, message: `is wrong: exactly one of ${names.join(' and ')} must be given` }]
}

/** `x-amounts` says for each amount which field names its currency; the first one present counts. */
function amountsFit(amounts: Readonly<Record<string, readonly string[]>>, value: Fields): FaultDetail[] {
  return Object.entries(amounts).flatMap(([param, currencyFields]) => {
    const amount = value[param]
    const currency = currencyFields
      .map((field) => value[field])
      .find((found) => typeof found === 'string' && isCurrency(found))
    if (typeof amount !== 'number' || amount <= 0 || currency === undefined) return []
    const read = parseMajor(amount, currency as Currency)
    return typeof read === 'string' ? [{ param, message: amountFaults[read](currency as Currency) }] : []
  })
}

function isRealInstant(text: string): boolean {
  const date = text.slice(0, 10)
  // Before the year 1 came the year -1, and the database knows it.
  if (date.startsWith('0000')) return false
  const parsed = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(Date.parse(text)) && !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date)
}

/** Several errors can have one place: enough of them are looked at for as many faults as are told. */
const MOST_DESCRIBED = 10 * MOST_FAULTS_TOLD

function refusalOf(errors: readonly ErrorObject[]): Refusal {
  return invalid(...onePerPlace(errors.slice(0, MOST_DESCRIBED).flatMap((error) => describe(error) ?? [])))
}

function describe(error: ErrorObject): FaultDetail | undefined {
  const path = error.instancePath.slice(1).split('/').filter(Boolean).map(unescapePointer)
  const at = (...more: string[]) =>
    [...path, ...more].reduce(
      (text, part) => (/^\d+$/.test(part) ? `${text}[${part}]` : text ? `${text}.${part}` : part),
      '',
    ) || 'body'
  const { keyword, params, parentSchema } = error
  if (keyword === 'required') return { param: at(params['missingProperty'] as string), message: 'is required' }
  if (keyword === 'additionalProperties')
    return { param: at(params['additionalProperty'] as string), message: 'is not a known field here' }
  if (keyword === 'propertyNames')
    return { param: at(params['propertyName'] as string), message: 'is not an allowed name: 1 to 40 characters' }
  if (['if', 'anyOf', 'oneOf'].includes(keyword) && path.length === 0) return undefined
  return { param: at(), message: (parentSchema?.['x-fault'] as string | undefined) ?? wording(error) }
}

function wording({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      return `must be ${[params['type'] as string | string[]].flat().map(nameOfType).join(' or ')}`
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).filter((value) => value !== null).join(', ')}`
    case 'minLength':
      return params['limit'] === 1 ? 'must not be empty' : `must have at least ${params['limit']} characters`
    case 'maxLength':
      return `must have at most ${params['limit']} characters`
    default:
      return message ?? 'is not valid'
  }
}

function nameOfType(type: string): string {
  return (
    {
      string: 'a string',
      number: 'a number',
      integer: 'a whole number',
      boolean: 'true or false',
      object: 'an object',
      array: 'an array',
    }[type] ?? type
  )
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}
