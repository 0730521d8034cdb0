import type { Deps } from '../deps.ts'
import { catalogue, type EventType } from '../events/catalogue.ts'

type Schema = {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly format?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly minLength?: number
}

/** Made-up `data` of a type of event, in the shape its schema gives it. */
export function sampleOf({ newId, now }: Deps, type: EventType): object {
  const at = now()
  return valueOf(catalogue[type].schema as Schema, 'data') as object

  function valueOf(schema: Schema, name: string): unknown {
    if (schema.const !== undefined) return schema.const
    if (schema.enum) return schema.enum[0]
    if (schema.anyOf) return valueOf(schema.anyOf[0]!, name)
    switch ([schema.type].flat()[0]) {
      case 'object':
        return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([key, one]) => [key, valueOf(one, key)]))
      case 'array':
        return schema.items ? [valueOf(schema.items, name)] : []
      case 'number':
        return /rate/i.test(name) ? 1 : 1500
      case 'integer':
        return 1
      case 'boolean':
        return true
      case 'string':
        return textOf(schema, name)
      default:
        return null
    }
  }

  function textOf({ format, minLength = 1 }: Schema, name: string): string {
    if (format === 'uuid') return newId(at)
    if (format === 'date-time') return at.toISOString()
    if (format === 'date') return at.toISOString().slice(0, 10)
    if (/email/i.test(name)) return 'ada@example.com'
    if (/url|link$/i.test(name)) return 'https://example.com/'
    if (/reference/i.test(name)) return 'sample-1'
    if (/accountNumber/i.test(name)) return '0123456789'
    return `sample ${name}`.padEnd(minLength, '.')
  }
}
