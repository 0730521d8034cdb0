import { parseDecimal, formatDecimal } from '../money/decimal.ts'
import { Refusal, type FaultDetail } from '../errors.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Stands where a value was that cannot be taken as it is, until its place is known. */
class Unfit {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

/**
 * Reads a JSON body so that nothing in it is changed silently: a number that a double cannot keep exactly, a NUL or
 * half a surrogate pair that the database would refuse and names that reach into prototypes are each a fault with its
 * place, and where one stood the value holds nothing that any schema takes. Bytes that are not JSON in UTF-8 are refused.
 * What is unfit in an item of the list `itemsIn` is left for `unfitIn` to find.
 */
export function parseJson(bytes: Buffer, itemsIn?: string): { value: unknown; faults: readonly FaultDetail[] } {
  let isFit = true
  let value: unknown
  try {
    value = JSON.parse(decoder.decode(bytes), (key, item: unknown, context?: { source?: string }) => {
      const message = faultOf(key, item, context?.source)
      if (message === undefined) return item
      isFit = false
      return new Unfit(message)
    })
  } catch (error) {
    if (error instanceof RangeError) throw new Refusal('invalid_request', { message: 'The body is nested too deeply.' })
    throw new Refusal('invalid_request', { message: 'The body is not valid JSON in UTF-8.' })
  }
  return { value, faults: isFit ? [] : placesOf(withoutItems(value, itemsIn), '') }
}

/** The values in an item of a list that could not be taken as they were written. */
export function unfitIn(item: unknown): FaultDetail[] {
  return placesOf(item, '')
}

function withoutItems(body: unknown, list: string | undefined): unknown {
  if (list === undefined || typeof body !== 'object' || body === null) return body
  return Array.isArray((body as Record<string, unknown>)[list]) ? { ...body, [list]: [] } : body
}

function faultOf(key: string, item: unknown, source: string | undefined): string | undefined {
  if (key === '__proto__' || hasNul(key)) return 'is not an allowed name'
  if (typeof item === 'string') {
    if (hasNul(item)) return 'must not contain a NUL character'
    if (!item.isWellFormed()) return 'must be well-formed Unicode'
  }
  if (typeof item === 'number' && source !== undefined && !isExact(item, source)) {
    return 'has more digits than can be kept exactly'
  }
  return undefined
}

/** PostgreSQL keeps every character except this one. */
export function hasNul(text: string): boolean {
  return text.includes('\0')
}

function placesOf(node: unknown, path: string): FaultDetail[] {
  if (node instanceof Unfit) return [{ param: path || 'body', message: node.message }]
  if (Array.isArray(node)) return node.flatMap((item, index) => placesOf(item, `${path}[${index}]`))
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([name, item]) => placesOf(item, path ? `${path}.${name}` : name))
}

/** Whether the double stands for exactly the decimal that was written. */
function isExact(value: number, source: string): boolean {
  if (String(value) === source) return true
  const [written, kept] = [parseDecimal(source), parseDecimal(String(value))]
  return written !== undefined && kept !== undefined && formatDecimal(written) === formatDecimal(kept)
}
