import { pino, type DestinationStream, type Logger } from 'pino'

/** What must never stand in a log line, whoever put it there: keys, tokens, secrets, BVNs and account numbers. */
const secretShapes: readonly RegExp[] = [
  /kolo_sk_[a-z]+_[\w-]+/g,
  /whsec_[\w-]+/g,
  /eyJ[\w-]+\.[\w-]+\.[\w-]*/g,
  /(?<=[Bb]earer(?: |%20))[^\s"\\]+/g,
  // Runs of ten or more digits standing alone; a UUID's digits are joined by hyphens and stay readable.
  /(?<![\w.-])(?:\+|%2B)?\d{10,}(?![\w-])/g,
  /[^\s"\\<>=]+(?:@|%40)[\w-]+(?:\.[\w-]+)+/g,
]

/** A long number that is not inside a text: put in its place, a word would make the line no JSON. */
const bareNumber = /(?<=[:,[])-?\d{10,}(?=[,}\]])/g

export function scrub(line: string): string {
  return secretShapes.reduce((text, shape) => text.replace(shape, '[redacted]'), line.replace(bareNumber, '0'))
}

export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    // The whole line is scrubbed, message and stack included: a field nobody thought of is covered too.
    hooks: { streamWrite: scrub },
    serializers: { err: describeError },
    redact: [
      'password',
      'secret',
      'token',
      'authorization',
      'cookie',
      'bvn',
      'accountNumber',
      'identityNumber',
      '*.password',
      '*.secret',
    ],
  }
  return destination ? pino(options, destination) : pino(options)
}

/** PostgreSQL puts row values into `detail`; only what names the fault is kept. */
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) }
  const { code, constraint, table } = error as { code?: unknown; constraint?: unknown; table?: unknown }
  return { type: error.name, message: error.message, code, constraint, table, stack: error.stack }
}
