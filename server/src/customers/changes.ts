import type { Deps } from '../deps.ts'
import { invalid, type FaultDetail } from '../errors.ts'
import type { Actor } from '../http/authentication.ts'
import { identityContext, maskIdentity, readIdentity, type GivenIdentity } from './identity.ts'
import { nationalForm, readPhone } from './phone.ts'
import { present } from './present.ts'
import type { Address, Customer, CustomerChanges, NewCustomer } from './schema.ts'
import type { CustomerRow } from './store.ts'

/** A row as it will be, and the BVN that must be verified before it may be saved. */
export type Draft = { readonly row: CustomerRow; readonly bvn: string | null }

/** What is wrong with what was given, beyond its shape. A national number may depend on the stored address. */
export function faultsOf(given: CustomerChanges, now: Date): FaultDetail[] {
  const today = now.toISOString().slice(0, 10)
  const isKnownCountry = given.address !== undefined || given.phone?.startsWith('+')
  return [
    ...readIdentity(given).faults,
    ...(given.dateOfBirth && given.dateOfBirth >= today
      ? [{ param: 'dateOfBirth', message: 'must be in the past' }]
      : []),
    ...(given.phone && isKnownCountry && !readPhone(given.phone, given.address?.country) ? [phoneFault] : []),
  ]
}

const phoneFault: FaultDetail = {
  param: 'phone',
  message: 'must be a phone number: E.164 (+2348012345678), or a national one of address.country',
}

export function newRow(deps: Deps, organizationId: string, actor: Actor, wish: NewCustomer): Draft {
  const at = deps.now()
  const blank: CustomerRow = {
    organizationId,
    id: deps.newId(at),
    firstName: wish.firstName,
    lastName: wish.lastName,
    email: wish.email,
    phone: null,
    dateOfBirth: null,
    gender: null,
    address: null,
    metadata: null,
    identityType: null,
    identitySealed: null,
    identityMasked: null,
    identityVerifiedAt: null,
    isActive: true,
    searchText: '',
    createdBy: actor.id,
    createdAt: at,
    updatedAt: at,
  }
  const { row, bvn } = applyChanges(deps, blank, wish)
  return { row: { ...row, updatedAt: at }, bvn }
}

/** The row with the given fields in it. `isVerified`: the provider has confirmed the BVN among them. */
export function applyChanges(deps: Deps, before: CustomerRow, given: CustomerChanges, isVerified = false): Draft {
  const { identity } = readIdentity(given)
  const { firstName = before.firstName, lastName = before.lastName, email = before.email } = given
  const address = given.address === undefined ? before.address : wholeAddress(given.address)
  const phone = given.phone ? readPhone(given.phone, address?.country) : given.phone
  if (given.phone && phone === undefined) throw invalid(phoneFault)
  const particulars = {
    ...before,
    firstName,
    lastName,
    email,
    address,
    isActive: given.isActive ?? before.isActive,
    phone: phone === undefined ? before.phone : phone,
    dateOfBirth: given.dateOfBirth === undefined ? before.dateOfBirth : given.dateOfBirth,
    gender: given.gender === undefined ? before.gender : given.gender,
    metadata: given.metadata === undefined ? before.metadata : given.metadata,
    updatedAt: deps.now(),
  }
  const row = withIdentity(deps, before, particulars, identity, isVerified)
  return { row: { ...row, searchText: searchText(row) }, bvn: identity?.type === 'BVN' ? identity.number : null }
}

function withIdentity(
  deps: Deps,
  before: CustomerRow,
  row: CustomerRow,
  identity: GivenIdentity,
  isVerified: boolean,
): CustomerRow {
  if (identity === null)
    return { ...row, identityType: null, identitySealed: null, identityMasked: null, identityVerifiedAt: null }
  if (identity === undefined) {
    // What was verified was this BVN of this person; of another name or birthday nothing is known.
    const isSamePerson = (['firstName', 'lastName', 'dateOfBirth'] as const).every((name) => row[name] === before[name])
    return { ...row, identityVerifiedAt: isSamePerson ? before.identityVerifiedAt : null }
  }
  const isSame = before.identityType === identity.type && openIdentity(deps, before) === identity.number
  const verifiedAt = isSame && before.identityVerifiedAt ? before.identityVerifiedAt : row.updatedAt
  return {
    ...row,
    identityType: identity.type,
    identitySealed: isSame ? before.identitySealed : deps.secrets.seal(identity.number, identityContext(row)),
    identityMasked: maskIdentity(identity.number),
    identityVerifiedAt: identity.type === 'BVN' && isVerified ? verifiedAt : null,
  }
}

function openIdentity({ secrets }: Deps, row: CustomerRow): string | null {
  return row.identitySealed && secrets.open(row.identitySealed, identityContext(row))
}

function wholeAddress(address: Address | null): Customer['address'] {
  if (address === null) return null
  const { street = null, unit = null, city = null, state = null, postalCode = null, country = null } = address
  return { street, unit, city, state, postalCode, country }
}

function searchText({ firstName, lastName, email, phone }: CustomerRow): string {
  return [firstName, lastName, email, phone, phone && nationalForm(phone)].filter(Boolean).join(' ').toLowerCase()
}

/** The fields of the record that an update changed. Two identity numbers may look alike once masked. */
export function changedFields(deps: Deps, before: CustomerRow, after: CustomerRow): string[] {
  const [old, new_] = [present(before), present(after)]
  return (Object.keys(old) as (keyof Customer)[]).filter((name) => {
    if (name === 'updatedAt') return false
    if (name === 'identityNumber') return openIdentity(deps, before) !== openIdentity(deps, after)
    return JSON.stringify(sorted(old[name])) !== JSON.stringify(sorted(new_[name]))
  })
}

/** An object's fields in one order, so that only what they say is compared. */
function sorted(value: Customer[keyof Customer]): unknown {
  return value && typeof value === 'object' ? Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)) : value
}
