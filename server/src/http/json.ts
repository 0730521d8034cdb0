import { parseDecimal, formatDecimal } from '../money/decimal.ts'
import { MOST_FAULTS_TOLD, Refusal, type FaultDetail } from '../errors.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Text in which something unfit may stand: an escape that may hide it, a name, a number with an exponent or with as many
 * digits as a double may lose. Looking at every value of 8 MiB takes seconds, and nearly no body needs it.
 */
const mayBeUnfit = /\\u|__proto__|(?:^|[[:,])\s*-?(?:[0-9.]+[eE]|[0-9.]{15,})/

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
  try {
    const text = decoder.decode(bytes)
    if (!mayBeUnfit.test(text)) return { value: JSON.parse(text) as unknown, faults: [] }
    const value: unknown = JSON.parse(text, (key, item: unknown, context?: { source?: string }) => {
      const message = faultOf(key, item, context?.source)
      if (message === undefined) return item
      isFit = false
      return new Unfit(message)
    })
    return { value, faults: isFit ? [] : placesOf(withoutItems(value, itemsIn), '', []) }
  } catch (error) {
    if (error instanceof RangeError) throw new Refusal('invalid_request', { message: 'The body is nested too deeply.' })
    throw new Refusal('invalid_request', { message: 'The body is not valid JSON in UTF-8.' })
  }
}

/** The values in an item of a list that could not be taken as they were written. */
export function unfitIn(item: unknown): FaultDetail[] {
  return placesOf(item, '', [])
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

/** Adds where something stands that cannot be taken, until enough is found to be told. */
function placesOf(node: unknown, path: string, found: FaultDetail[]): FaultDetail[] {
  if (node instanceof Unfit) found.push({ param: path || 'body', message: node.message })
  else if (typeof node === 'object' && node !== null) {
    for (const [name, item] of Object.entries(node)) {
      if (found.length >= MOST_FAULTS_TOLD) break
      placesOf(item, Array.isArray(node) ? `${path}[${name}]` : path ? `${path}.${name}` : name, found)
    }
  }
  return found
}

/** Up to so many characters a decimal without an exponent is always the shortest text of its double. */
const ALWAYS_EXACT_LENGTH = 15

/** Whether the double stands for exactly the decimal that was written. */
function isExact(value: number, source: string): boolean {
  if (String(value) === source || (source.length <= ALWAYS_EXACT_LENGTH && !/e/i.test(source))) return true
  const [written, kept] = [parseDecimal(source), parseDecimal(String(value))]
  return written !== undefined && kept !== undefined && formatDecimal(written) === formatDecimal(kept)
}
