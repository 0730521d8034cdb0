export type Schema = Record<string, unknown>

/** A value a schema accepts: its required fields and nothing else. For bodies of the API description. */
export function sampleOf(schema: Schema): unknown {
  const { type, enum: options, properties = {}, required = [], anyOf, const: fixed } = schema
  if (fixed !== undefined) return fixed
  if (Array.isArray(options)) return options[0]
  if (Array.isArray(anyOf)) return sampleOf(anyOf[0] as Schema)
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return Object.fromEntries(
        (required as string[]).map((name) => [name, sampleOf((properties as Record<string, Schema>)[name]!)]),
      )
    case 'array':
      return [sampleOf(schema['items'] as Schema)]
    case 'integer':
    case 'number':
      return schema['minimum'] ?? 100
    case 'boolean':
      return true
    default:
      return textOf(schema)
  }
}

function textOf({ format, minLength = 1, pattern }: Schema): string {
  if (format === 'uuid') return '01900000-0000-7000-8000-000000000000'
  if (format === 'date-time') return '2026-01-01T00:00:00.000Z'
  if (format === 'date') return '2026-01-01'
  if (format === 'uri') return 'https://shop.example.com/'
  if (format === 'email' || /@/.test(String(pattern))) return 'someone@shop.example'
  return 'sample'.padEnd(Number(minLength), 'x')
}
