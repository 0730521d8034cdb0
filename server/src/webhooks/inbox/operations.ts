import { timingSafeEqual } from 'node:crypto'
import { wallNow } from '../../clock.ts'
import type { Deps } from '../../deps.ts'
import { openSecret } from '../secrecy.ts'
import { signatureOf, type SignaturePrefix } from '../signing.ts'
import { findSecretsAt } from '../store.ts'
import type { Letter } from './letters.ts'

const MAX_AGE_SECONDS = 300

/** Checks a delivery as its receiver should, with the secrets of the endpoints that lead to this box. */
export async function checkSignature(
  deps: Deps,
  name: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
): Promise<Letter['signature']> {
  const [given, timestamp] = [headers['x-webhook-signature'], headers['x-webhook-timestamp']]
  if (!given || !timestamp) return 'absent'
  const [prefix] = given.split('=', 1)
  const rows = await findSecretsAt(deps.db, `/inbox/${name}`)
  if (rows.length === 0) return 'unknown'
  const isSigned = rows.some((row) => {
    const secret = openSecret(deps, row, row.secret)
    const expected = signatureOf(secret, Number(timestamp), body, prefix as SignaturePrefix)
    return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected))
  })
  if (!isSigned) return 'wrong'
  const ageSeconds = Math.abs(wallNow().getTime() / 1000 - Number(timestamp))
  return ageSeconds <= MAX_AGE_SECONDS ? 'valid' : 'stale'
}
