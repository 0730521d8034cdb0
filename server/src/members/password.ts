import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** About 60 ms and 32 MB a guess. Stored with each hash, so that they can grow later. */
const cost = { N: 32_768, r: 8, p: 1 }
const LENGTH = 32
const parameters = `scrypt$${cost.N}$${cost.r}$${cost.p}`

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password.normalize('NFKC'), salt, LENGTH, { ...cost, maxmem: memoryFor(cost.N, cost.r) })
  return `${parameters}$${salt.toString('base64url')}$${hash.toString('base64url')}`
}

export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [scheme, N, r, p, salt, hash] = stored.split('$')
  if (scheme !== 'scrypt' || !salt || !hash) return false
  const expected = Buffer.from(hash, 'base64url')
  const options = { N: Number(N), r: Number(r), p: Number(p) }
  const actual = await derive(password.normalize('NFKC'), Buffer.from(salt, 'base64url'), expected.length, {
    ...options,
    maxmem: memoryFor(options.N, options.r),
  })
  return timingSafeEqual(actual, expected)
}

function memoryFor(N: number, r: number): number {
  return 256 * N * r
}

/** A hash in today's parameters that no password has. */
export function unmatchableHash(): string {
  const [salt, hash] = [randomBytes(16), randomBytes(LENGTH)]
  return `${parameters}$${salt.toString('base64url')}$${hash.toString('base64url')}`
}

/** Whether a hash was made with other parameters than today's. */
export function isOutdated(stored: string): boolean {
  return !stored.startsWith(`${parameters}$`)
}
