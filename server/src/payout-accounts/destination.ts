import { getCountryCallingCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js'
import type { Config } from '../config.ts'
import { invalid, Refusal, type FaultDetail } from '../errors.ts'
import type { Currency } from '../money/currencies.ts'
import type { BeneficiaryType, Destination } from '../rails/rail.ts'
import * as countries from './countries.ts'

/** Where money is to go, before anybody was asked whose account it is. */
export type Unresolved = Omit<Destination, 'accountName'>

export type DestinationWish = {
  readonly accountType?: BeneficiaryType | null
  readonly accountNumber: string
  readonly currency?: Currency | null
  readonly country?: string | null
  readonly bankCode?: string | null
  readonly institutionId?: string | null
  readonly routingNumber?: string | null
}

/** Fills in what follows from the rest, and refuses what is missing or malformed, every fault at once. */
export function readDestination({ currencies }: Config, wish: DestinationWish): Unresolved {
  const accountType = wish.accountType ?? 'bank_account'
  const { country, currency, faults: placeFaults } = placeOf(currencies, accountType, wish)
  const faults = [...placeFaults, ...faultsOf(accountType, country, wish)]
  if (faults.length > 0) throw invalid(...faults)
  const isBank = accountType === 'bank_account'
  const destination = {
    accountType,
    accountNumber: wish.accountNumber,
    bankCode: isBank ? (wish.bankCode ?? null) : null,
    institutionId: accountType === 'partnerwallet_wallet' ? null : (wish.institutionId ?? null),
    routingNumber: isBank ? (wish.routingNumber ?? null) : null,
    country: country!,
    currency: currency!,
  }
  if (countries.currencyIn(destination.country) === undefined)
    throw new Refusal('account_not_resolved', {
      param: 'country',
      message: `No provider pays out in ${destination.country}.`,
    })
  return destination
}

type Place = { country: string | undefined; currency: Currency | undefined; faults: FaultDetail[] }

/** Country and currency say each other where they can. */
function placeOf(supported: readonly Currency[], accountType: BeneficiaryType, wish: DestinationWish): Place {
  if (accountType === 'partnerwallet_wallet') {
    const currency = wish.currency ?? undefined
    const country = wish.country ?? (currency && countries.countryWith(currency)) ?? countries.DEFAULT_COUNTRY
    return { country, currency, faults: currency ? [] : [{ param: 'currency', message: 'is required' }] }
  }
  if (wish.currency && !wish.country) {
    const country = countries.countryWith(wish.currency)
    const says = `is required: ${wish.currency} is used in several countries`
    return { country, currency: wish.currency, faults: country ? [] : [{ param: 'country', message: says }] }
  }
  const country = wish.country ?? countries.DEFAULT_COUNTRY
  const own = countries.currencyIn(country)
  const currency = wish.currency ?? own
  if (!currency) return { country, currency, faults: [{ param: 'currency', message: 'is required' }] }
  if (own && currency !== own)
    return { country, currency, faults: [{ param: 'currency', message: `must be ${own} in ${country}` }] }
  if (!supported.includes(currency))
    return {
      country,
      currency,
      faults: [{ param: 'country', message: `is paid in ${currency}, which is not used here` }],
    }
  return { country, currency, faults: [] }
}

function faultsOf(accountType: BeneficiaryType, country: string | undefined, wish: DestinationWish): FaultDetail[] {
  switch (accountType) {
    case 'bank_account':
      return country === undefined ? [] : bankFaults(country, wish)
    case 'mobile_money':
      return mobileFaults(country, wish)
    case 'partnerwallet_wallet': {
      const isFine = /^[A-Za-z0-9]{10}$/.test(wish.accountNumber)
      const message = 'must be the 10 letters and digits of a partner-wallet user'
      return isFine ? [] : [{ param: 'accountNumber', message }]
    }
  }
}

function bankFaults(country: string, { accountNumber, bankCode, routingNumber }: DestinationWish): FaultDetail[] {
  const { form, says } = countries.accountNumbers[country] ?? countries.anyAccountNumber
  const routing = countries.routingNumbers[country]
  return [
    ...(form.test(accountNumber) ? [] : [{ param: 'accountNumber', message: says }]),
    ...(countries.bankCodeCountries.has(country) && !bankCode
      ? [{ param: 'bankCode', message: `is required for bank accounts in ${country}` }]
      : []),
    ...(routing && !routingNumber
      ? [{ param: 'routingNumber', message: `is required for bank accounts in ${country}` }]
      : []),
    ...(routing && routingNumber && !routing.form.test(routingNumber)
      ? [{ param: 'routingNumber', message: routing.says }]
      : []),
  ]
}

function mobileFaults(country: string | undefined, { accountNumber, institutionId }: DestinationWish): FaultDetail[] {
  return [
    ...(institutionId ? [] : [{ param: 'institutionId', message: 'is required for mobile wallets' }]),
    ...(country === undefined || mobileNumber(accountNumber, country)
      ? []
      : [{ param: 'accountNumber', message: `must be a mobile number of ${country}` }]),
  ]
}

/** A mobile number of a country as E.164; undefined when it is none. */
function mobileNumber(text: string, country: string): string | undefined {
  if (!/^\+?[\d ()-]{6,24}$/.test(text) || !isSupportedCountry(country)) return undefined
  const phone = parsePhoneNumberFromString(text, country)
  if (!phone?.isValid() || phone.countryCallingCode !== getCountryCallingCode(country)) return undefined
  return phone.number
}

/** The same for every way to write one destination: what makes two beneficiaries one. */
export function destinationKey(destination: Unresolved): string {
  const { accountType, accountNumber, bankCode, institutionId, routingNumber, currency, country } = destination
  const number =
    accountType === 'mobile_money'
      ? (mobileNumber(accountNumber, country) ?? accountNumber)
      : accountType === 'bank_account'
        ? accountNumber.toUpperCase()
        : accountNumber
  const parts = [accountType, country, currency, bankCode, institutionId, routingNumber?.replaceAll('-', ''), number]
  return parts.map((part) => part ?? '').join('/')
}
