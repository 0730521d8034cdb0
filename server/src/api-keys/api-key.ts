import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Environment } from '../config.ts'

const environmentNames: Record<Environment, string> = { local: 'local', sandbox: 'test', production: 'live' }

const RANDOM_BYTES = 24 // 192 bits: more than anyone can try
const beginning = /^kolo_sk_(?:local|test|live)_/
const shape = /^kolo_sk_(?:local|test|live)_[A-Za-z0-9_-]{32}([0-9a-f]{8})$/

/** A new key: prefix, environment, random part, checksum. Shown once; only its hash is kept. */
export function makeApiKey(env: Environment): string {
  const body = `${keyPrefix(env)}${randomBytes(RANDOM_BYTES).toString('base64url')}`
  return body + checksum(body)
}

export function keyPrefix(env: Environment): string {
  return `kolo_sk_${environmentNames[env]}_`
}

export type KeyFault = 'malformed' | 'other_environment'

/** Tells a mistyped or foreign key before the database is asked. */
export function faultOfApiKey(key: string, env: Environment): KeyFault | undefined {
  // Said of everything that names another environment: there a mistyped key would be told the rest.
  if (beginning.test(key) && !key.startsWith(keyPrefix(env))) return 'other_environment'
  const match = shape.exec(key)
  return match && checksum(key.slice(0, -8)) === match[1] ? undefined : 'malformed'
}

export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}
