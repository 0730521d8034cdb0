import { createHash } from 'node:crypto'

const given = [
  'ADA',
  'BOLA',
  'CHIDI',
  'EFUA',
  'FATIMA',
  'KWAME',
  'NGOZI',
  'OLUMIDE',
  'SADE',
  'WANJIRU',
  'YAW',
  'ZAINAB',
]
const family = ['ADEYEMI', 'BALOGUN', 'DIALLO', 'EZE', 'KAMAU', 'MENSAH', 'NKRUMAH', 'OBI', 'OKAFOR', 'OTIENO', 'SOW']

/** Who owns an account: made up, and always the same for the same number. */
export function nameOf(number: string): { readonly given: string; readonly family: string } {
  const digest = createHash('sha256').update(number).digest()
  return { given: given[digest[0]! % given.length]!, family: family[digest[1]! % family.length]! }
}

/** What the provider's answer to a number is decided by: its last three characters. */
export function endingOf(number: string): string {
  return number.slice(-3)
}
