import { isSupportedCountry, parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js'

/** Where a national number belongs when nothing says so. */
const HOME: CountryCode = 'NG'

/** A phone number as E.164; undefined where it cannot be one. A national number is read as one of `country`. */
export function readPhone(text: string, country: string | null | undefined): string | undefined {
  const code = country?.toUpperCase()
  const parsed = parsePhoneNumberFromString(text, {
    defaultCountry: code && isSupportedCountry(code) ? code : HOME,
    extract: false,
  })
  // Whether the length fits its country. Number ranges change faster than any table of them; a person's own number
  // is not refused for being new.
  return parsed?.isPossible() && !parsed.ext ? parsed.number : undefined
}

/** The number as people at home write it: 0801 234 5678, without spaces. For searching. */
export function nationalForm(phone: string): string {
  return parsePhoneNumberFromString(phone)?.formatNational().replaceAll(/\D/g, '') ?? ''
}
