import { getCountryCallingCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js'
import { invalid, type FaultDetail } from '../errors.ts'
import type { CollectionMethod } from '../rails/rail.ts'

/** The phone a prompt goes to: a number of the method's country, on one of its networks. */
export function payerPhone(
  method: CollectionMethod,
  { phone, operator }: { readonly phone?: string; readonly operator?: string },
): { phone: string; operator: string } {
  const faults: FaultDetail[] = []
  const number = phone === undefined ? undefined : readNumber(phone, method.country)
  if (!number) faults.push({ param: 'phone', message: `must be a phone number of ${method.country}` })
  const network = method.operators?.find((name) => name === operator)
  if (!network) faults.push({ param: 'operator', message: `must be one of ${(method.operators ?? []).join(', ')}` })
  if (!number || !network) throw invalid(...faults)
  return { phone: number, operator: network }
}

function readNumber(text: string, country: string): string | undefined {
  if (!isSupportedCountry(country)) return undefined
  const parsed = parsePhoneNumberFromString(text, { defaultCountry: country, extract: false })
  const isAtHome = parsed?.countryCallingCode === getCountryCallingCode(country)
  return parsed?.isPossible() && !parsed.ext && isAtHome ? parsed.number : undefined
}
