import type { Deps } from '../deps.ts'
import { catalogue, type EventType } from '../events/catalogue.ts'

type Schema = {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly format?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minLength?: number
}

type Fields = Readonly<Record<string, unknown>>

const payout = { feeAmount: 7.5, requiresApproval: false }

/** What an event of the type really says: a handler that is tried with a sample must not learn something wrong. */
const particulars: Readonly<Record<EventType, Fields>> = {
  'payment.created': { status: 'created' },
  'payment.initiated': { status: 'initiated', previousStatus: 'created' },
  'payment.executed': { status: 'executed', previousStatus: 'initiated' },
  'payment.settled': { status: 'settled', previousStatus: 'executed' },
  'payment.failed': { status: 'failed', previousStatus: 'initiated', failureReason: 'declined_by_provider' },
  'payment.cancelled': { status: 'cancelled', previousStatus: 'created' },
  'payout.created': { ...payout, status: 'pending' },
  'payout.processing': { ...payout, status: 'processing', previousStatus: 'pending' },
  'payout.completed': { ...payout, status: 'completed', previousStatus: 'processing' },
  'payout.failed': { ...payout, status: 'failed', previousStatus: 'processing', failureReason: 'account_closed' },
  'payout.cancelled': { ...payout, status: 'cancelled', previousStatus: 'pending' },
  'transfer.completed': { kind: 'organization', status: 'completed' },
  'transfer.failed': { kind: 'organization', status: 'failed', failureReason: 'destination_closed' },
  'customer.created': {},
  'customer.updated': { changedFields: ['lastName'] },
  'virtual_account.credited': {
    provider: 'providerB',
    transactionReference: 'sample-1',
    reference: 'providerB:sample-1',
    grossAmount: 1500,
    feeAmount: 15,
    netAmount: 1485,
  },
}

/** Made-up `data` of a type of event: what may be absent is, unless the type says it. */
export function sampleOf({ newId, now }: Deps, type: EventType): object {
  const at = now()
  const known = particulars[type]
  const made = valueOf(catalogue[type].schema as Schema, 'data') as Fields
  const history = 'statusHistory' in made && { statusHistory: [{ status: known['status'], at: at.toISOString() }] }
  const ending = known['status'] === 'completed' && 'completedAt' in made && { completedAt: at.toISOString() }
  return { ...made, ...known, ...history, ...ending }

  function valueOf(schema: Schema, name: string): unknown {
    if (schema.const !== undefined) return schema.const
    if (isNullable(schema)) return null
    if (schema.enum) return schema.enum[0]
    if (schema.anyOf) return valueOf(schema.anyOf[0]!, name)
    switch ([schema.type].flat()[0]) {
      case 'object':
        return Object.fromEntries(
          Object.entries(schema.properties ?? {})
            .filter(([key]) => schema.required?.includes(key))
            .map(([key, one]) => [key, valueOf(one, key)]),
        )
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
    if (/reference/i.test(name)) return 'sample-1'
    if (/accountNumber/i.test(name)) return '0123456789'
    if (/country/i.test(name)) return 'NG'
    return `sample ${name}`.padEnd(minLength, '.')
  }
}

function isNullable({ type, enum: values, anyOf }: Schema): boolean {
  return [type].flat().includes('null') || (values?.includes(null) ?? false) || (anyOf?.some(isNullable) ?? false)
}
