import { parseDecimal, formatDecimal } from '../money/decimal.ts'
import { invalid, Refusal } from '../errors.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a JSON body so that nothing in it is changed silently: a number that a double cannot keep exactly, a NUL or
 * half a surrogate pair that the database would refuse, bytes that are not UTF-8 and names that reach into prototypes
 * are each a 400 that says so.
 */
export function parseJson(bytes: Buffer): unknown {
  const faults: { param: string; message: string }[] = []
  let value: unknown
  try {
    value = JSON.parse(decoder.decode(bytes), (key, item: unknown, context?: { source?: string }) => {
      const message = faultOf(key, item, context?.source)
      if (message) faults.push({ param: key || 'body', message })
      return item
    })
  } catch (error) {
    if (error instanceof RangeError) throw new Refusal('invalid_request', { message: 'The body is nested too deeply.' })
    throw new Refusal('invalid_request', { message: 'The body is not valid JSON in UTF-8.' })
  }
  if (faults.length > 0) throw invalid(...faults)
  return value
}

function faultOf(key: string, item: unknown, source: string | undefined): string | undefined {
  if (key === '__proto__') return 'is not an allowed name'
  if (typeof item === 'string') {
    if (item.includes('\0')) return 'must not contain a NUL character'
    if (!item.isWellFormed()) return 'must be well-formed Unicode'
  }
  if (typeof item === 'number' && source !== undefined && !isExact(item, source)) {
    return 'has more digits than can be kept exactly'
  }
  return undefined
}

/** Whether the double stands for exactly the decimal that was written. */
function isExact(value: number, source: string): boolean {
  if (String(value) === source) return true
  const [written, kept] = [parseDecimal(source), parseDecimal(String(value))]
  return written !== undefined && kept !== undefined && formatDecimal(written) === formatDecimal(kept)
}
