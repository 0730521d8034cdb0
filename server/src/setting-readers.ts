import ipaddr from 'ipaddr.js'
import { isCurrency, type Currency } from './money/currencies.ts'

// How the text of a setting is read. Each refuses with words that follow the setting's name.

export function anyText(text: string): string {
  return text
}

export function oneOf<const Option extends string>(...options: Option[]): (text: string) => Option {
  return (text) => {
    const found = options.find((option) => option === text)
    if (!found) throw new Error(`must be one of ${options.join(', ')}`)
    return found
  }
}

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (!(number >= least && number <= most)) throw new Error(`must be a whole number from ${least} to ${most}`)
    return number
  }
}

export function anyUrl(text: string): string {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw new Error('must be an absolute http(s) URL')
  return text
}

export function origin(text: string): string {
  const url = URL.parse(anyUrl(text))!
  if (url.pathname !== '/' || url.search || url.hash || url.username)
    throw new Error('must be an origin: scheme, host and port, no path')
  return url.origin
}

/** NG+2027-03-11: a holiday; NG-2027-03-09: none. */
export function bankHolidays(text: string) {
  return text
    .split(',')
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const [, country, sign, date] = /^([A-Z]{2})([+-])(\d{4}-\d{2}-\d{2})$/.exec(part.trim()) ?? []
      const isReal = date !== undefined && new Date(date).toJSON()?.startsWith(date)
      if (!country || !isReal) throw new Error('must be like NG+2027-03-11,NG-2027-03-09')
      return { country, date, isHoliday: sign === '+' }
    })
}

export function databaseUrl(text: string): string {
  if (!['postgres:', 'postgresql:'].includes(URL.parse(text)?.protocol ?? ''))
    throw new Error('must be a postgres:// URL')
  return text
}

export function masterKeys(text: string) {
  return text.split(',').map((part) => {
    const match = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/=_-]+)$/.exec(part.trim())
    const key = Buffer.from(match?.[2] ?? '', 'base64')
    if (!match?.[1] || key.length !== 32) throw new Error('must be <id>:<32 bytes in base64>, comma separated')
    return { id: match[1], key }
  })
}

export type PrivateJwk = {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly kid: string
  readonly x: string
  readonly d: string
}

export function jwtKeys(text: string): readonly PrivateJwk[] {
  const keys = readJson(text)
  const isKey = (key: Partial<PrivateJwk>) => key.kty === 'OKP' && key.crv === 'Ed25519' && key.kid && key.x && key.d
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every(isKey)) {
    throw new Error('must be a JSON array of private Ed25519 JWKs, each with kid, x and d')
  }
  return keys as PrivateJwk[]
}

/** JSON.parse quotes what it cannot read, and here that is a secret. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function addressList(text: string): string[] {
  const list = text.split(',').map((part) => part.trim())
  const wrong = list.find((part) => !ipaddr.isValid(part) && !ipaddr.isValidCIDR(part))
  if (wrong !== undefined) throw new Error(`names "${wrong}", which is neither an address nor a range like 10.0.0.0/8`)
  return list
}

export function currencyList(text: string): readonly Currency[] {
  const list = text.split(',').map((part) => part.trim())
  const unknown = list.find((part) => !isCurrency(part))
  if (unknown !== undefined) throw new Error(`names "${unknown}", which is not a supported currency`)
  return [...new Set(list as Currency[])]
}
