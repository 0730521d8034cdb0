import { Type, type Static, type TSchema, type TProperties, type TObject } from 'typebox'
import { refusals, type RefusalCode } from '../errors.ts'
import { currencies, type Currency } from '../money/currencies.ts'

/** A field that may be left out or cleared by `null`. */
export function optional<T extends TSchema>(schema: T) {
  return Type.Optional(nullable(schema))
}

/** One type or null, written the way serializers are fast at. */
export function nullable<T extends TSchema>(schema: T) {
  const { type, enum: options } = schema as { type?: string; enum?: unknown[] }
  return Type.Unsafe<Static<T> | null>(
    typeof type === 'string'
      ? { ...schema, type: [type, 'null'], ...(options && { enum: [...options, null] }) }
      : { anyOf: [schema, { type: 'null' }] },
  )
}

/** An object that takes no other fields. */
export function strict<T extends TProperties>(properties: T, options: object = {}): TObject<T> {
  return Type.Object(properties, { additionalProperties: false, ...options })
}

export function oneOf<const Option extends string>(options: readonly Option[], about: object = {}) {
  return Type.Unsafe<Option>({ type: 'string', enum: [...options], ...about })
}

export const Id = Type.String({
  pattern: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
  format: 'uuid',
  'x-fault': 'must be a UUID',
})
export const ById = strict({ id: Id })

/** What a record says of an instant. */
export const Instant = Type.String({ format: 'date-time' })

/** What a filter takes: a date or a date-time. */
export const When = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2}))?$',
  'x-instant': true,
  'x-fault': 'must be a date (2026-01-31) or a date-time with a zone (2026-01-31T12:00:00Z)',
})

export const CurrencyCode = Type.Unsafe<Currency>({ type: 'string', enum: [...currencies], 'x-currency': true })

/** An amount in major units. Its decimals depend on the currency beside it: see `x-amounts`. */
export const Amount = Type.Number({ exclusiveMinimum: 0, 'x-fault': 'must be a number greater than 0, in major units' })

/** An amount the service answers with. */
export const AmountOut = Type.Number()

export const Reference = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[A-Za-z0-9._:-]*$',
  'x-fault': 'must be 1 to 100 characters of A-Z a-z 0-9 . _ : -',
})

export function Text(maxLength = 255, minLength = 1) {
  return Type.String({ minLength, maxLength })
}

export const Metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: 50,
  propertyNames: { type: 'string', maxLength: 40, minLength: 1 },
  additionalProperties: { type: 'string', maxLength: 500 },
})

/** `{ "data": … }`, the envelope of every success. */
export function dataOf<T extends TSchema>(schema: T) {
  return Type.Object({ data: schema })
}

const Pagination = Type.Object({
  page: nullable(Type.Integer()),
  pages: nullable(Type.Integer()),
  total: nullable(Type.Integer()),
  limit: Type.Integer(),
  nextCursor: nullable(Type.String()),
})

/** A page of records under their plural. */
export function pageOf<Plural extends string, T extends TSchema>(plural: Plural, item: T) {
  return dataOf(
    Type.Object({ [plural]: Type.Array(item), pagination: Pagination } as Record<
      Plural,
      ReturnType<typeof Type.Array<T>>
    > & { pagination: typeof Pagination }),
  )
}

/** The query of a paged list: `page` or `cursor`, `limit`, and the filters of that list. */
export function pageQuery<T extends TProperties>(filters: T) {
  return strict({
    page: Type.Optional(Type.Integer({ minimum: 1, description: 'From 1. For deep lists use cursor.' })),
    cursor: Type.Optional(
      Type.String({ minLength: 1, maxLength: 500, description: 'A nextCursor of the page before.' }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
    ...filters,
  })
}

export const createdRange = { createdFrom: Type.Optional(When), createdTo: Type.Optional(When) }

const FaultOut = Type.Object({ param: Type.String(), message: Type.String() })

function errorOf(codes: readonly RefusalCode[]) {
  return Type.Object(
    {
      error: Type.Object({
        type: Type.String(),
        code: Type.Unsafe<RefusalCode>({ type: 'string', enum: [...codes] }),
        message: Type.String(),
        param: Type.Optional(Type.String()),
        details: Type.Optional(Type.Array(FaultOut)),
        requestId: Type.String(),
      }),
    },
    { description: codes.map((code) => `\`${code}\`: ${refusals[code][2]}`).join('\n\n') },
  )
}

/** What any route may answer, whatever it does. */
const anyRoute = ['invalid_request', 'internal', 'unavailable'] as const

/** What any route that needs a credential may answer besides. */
const guardedRoute = [
  'credential_missing',
  'credential_invalid',
  'credential_revoked',
  'credential_expired',
  'credential_of_other_environment',
  'rate_limited',
  'member_required',
  'scope_missing',
  'role_missing',
] as const

/** The refusals a route can answer with, by status, for its description. */
export function refusing(...codes: RefusalCode[]): Record<number, TSchema> {
  return refusingAnyone(...codes, ...guardedRoute)
}

/** The same for a route that needs no credential. */
export function refusingAnyone(...codes: RefusalCode[]): Record<number, TSchema> {
  const byStatus = Object.groupBy([...codes, ...anyRoute], (code) => String(refusals[code][0]))
  return Object.fromEntries(Object.entries(byStatus).map(([status, group]) => [status, errorOf([...new Set(group)])]))
}

/** Responses with further refusals in them: those that follow from how a route is called, not from what it does. */
export function alsoRefusing(
  responses: Record<string, TSchema>,
  codes: readonly RefusalCode[],
): Record<string, TSchema> {
  const byStatus = Object.groupBy(codes, (code) => String(refusals[code][0]))
  const added = Object.entries(byStatus).map(([status, group = []]) => {
    const listed = responses[status] as ReturnType<typeof errorOf> | undefined
    const own = (listed?.properties.error.properties.code as { enum?: RefusalCode[] } | undefined)?.enum ?? []
    return [status, errorOf([...new Set([...group, ...own])])] as const
  })
  return { ...responses, ...Object.fromEntries(added) }
}
