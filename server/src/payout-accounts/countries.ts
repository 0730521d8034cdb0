import type { Currency } from '../money/currencies.ts'

/** The currency payouts in a country are made in. */
const currencyOf: Readonly<Record<string, Currency>> = {
  NG: 'NGN',
  GH: 'GHS',
  KE: 'KES',
  UG: 'UGX',
  TZ: 'TZS',
  RW: 'RWF',
  ZM: 'ZMW',
  ZA: 'ZAR',
  US: 'USD',
  GB: 'GBP',
  ...each('XOF', 'BJ BF CI GW ML NE SN TG'),
  ...each('XAF', 'CM CF CG GA GQ TD'),
  ...each('EUR', 'AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK'),
}

function each(currency: Currency, countries: string): Record<string, Currency> {
  return Object.fromEntries(countries.split(' ').map((country) => [country, currency]))
}

/** Currencies of one country. The others (EUR, USD, XOF, XAF) do not say where an account is. */
const countryOf: Partial<Readonly<Record<Currency, string>>> = {
  NGN: 'NG',
  GHS: 'GH',
  KES: 'KE',
  UGX: 'UG',
  TZS: 'TZ',
  RWF: 'RW',
  ZMW: 'ZM',
  ZAR: 'ZA',
  GBP: 'GB',
}

/** Where nothing says which country is meant. */
export const DEFAULT_COUNTRY = 'NG'

export function currencyIn(country: string): Currency | undefined {
  return currencyOf[country]
}

export function countryWith(currency: Currency): string | undefined {
  return countryOf[currency]
}

/** Countries whose banks are named by a bank code. */
export const bankCodeCountries: ReadonlySet<string> = new Set(['NG', 'GH', 'KE', 'UG', 'TZ', 'RW', 'ZM'])

/** Countries whose banks are named by a routing number or sort code, and its form. */
export const routingNumbers: Readonly<Record<string, { readonly form: RegExp; readonly says: string }>> = {
  US: { form: /^\d{9}$/, says: 'must be the 9 digits of a routing number' },
  GB: { form: /^\d{2}-?\d{2}-?\d{2}$/, says: 'must be the 6 digits of a sort code' },
  ZA: { form: /^\d{6}$/, says: 'must be the 6 digits of a branch code' },
}

/** How bank account numbers look where we know it for certain. */
export const accountNumbers: Readonly<Record<string, { readonly form: RegExp; readonly says: string }>> = {
  NG: { form: /^\d{10}$/, says: 'must be the 10 digits of a Nigerian account number' },
}
export const anyAccountNumber = { form: /^[A-Za-z0-9]{4,34}$/, says: 'must be 4 to 34 letters and digits' }
