import { Type, type Static } from 'typebox'
import {
  createdRange,
  dataOf,
  Id,
  Instant,
  Metadata,
  nullable,
  oneOf,
  optional,
  pageOf,
  pageQuery,
  strict,
  Text,
} from '../http/schemas.ts'

export const genders = ['male', 'female', 'other'] as const
export const identityTypes = ['BVN', 'NIN', 'PASSPORT', 'DRIVERS_LICENSE', 'VOTERS_CARD'] as const
export type IdentityType = (typeof identityTypes)[number]

export const EmailAddress = Type.String({
  maxLength: 254,
  pattern: '^[^\\s@<>"\\\\]+@[^\\s@<>"\\\\.]+(\\.[^\\s@<>"\\\\.]+)+$',
  'x-fault': 'must be an e-mail address',
})

const BirthDate = Type.String({
  format: 'date',
  pattern: '^\\d{4}-\\d{2}-\\d{2}$',
  'x-instant': true,
  'x-fault': 'must be a real date (1990-01-31)',
})

const Phone = Type.String({
  minLength: 1,
  maxLength: 40,
  description: 'E.164. A national number is read as one of address.country, of Nigeria without one, and kept as E.164.',
})

const IdentityNumber = Type.String({ minLength: 1, maxLength: 64, description: 'A BVN is 11 digits.' })

const Address = strict({
  street: optional(Text()),
  unit: optional(Text()),
  city: optional(Text()),
  state: optional(Text()),
  postalCode: optional(Text()),
  country: optional(Text()),
})
export type Address = Static<typeof Address>

const particulars = {
  phone: optional(Phone),
  dateOfBirth: optional(BirthDate),
  gender: optional(oneOf(genders)),
  identityType: optional(oneOf(identityTypes)),
  identityNumber: optional(IdentityNumber),
  address: optional(Address),
  metadata: optional(Metadata),
}

export const NewCustomer = strict({ firstName: Text(), lastName: Text(), email: EmailAddress, ...particulars })
export type NewCustomer = Static<typeof NewCustomer>

export const CustomerChanges = strict({
  firstName: Type.Optional(Text()),
  lastName: Type.Optional(Text()),
  email: Type.Optional(EmailAddress),
  isActive: Type.Optional(Type.Boolean()),
  bvn: optional(
    Type.String({
      pattern: '^\\d{11}$',
      'x-fault': 'must be 11 digits',
      description: 'Short for identityType BVN with this identityNumber; verified before anything is saved.',
    }),
  ),
  ...particulars,
})
export type CustomerChanges = Static<typeof CustomerChanges>

const AddressOut = Type.Object({
  street: nullable(Type.String()),
  unit: nullable(Type.String()),
  city: nullable(Type.String()),
  state: nullable(Type.String()),
  postalCode: nullable(Type.String()),
  country: nullable(Type.String()),
})

const record = {
  id: Id,
  firstName: Type.String(),
  lastName: Type.String(),
  email: Type.String(),
  phone: nullable(Type.String()),
  dateOfBirth: nullable(Type.String({ format: 'date' })),
  gender: nullable(oneOf(genders)),
  identityType: nullable(oneOf(identityTypes)),
  identityNumber: nullable(Type.String({ description: 'Masked: *******8901.' })),
  identityVerified: Type.Boolean(),
  identityVerifiedAt: nullable(Instant),
  address: nullable(AddressOut),
  metadata: nullable(Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } })),
  isActive: Type.Boolean(),
  createdAt: Instant,
  updatedAt: Instant,
}

export const Customer = Type.Object(record)
export type Customer = Static<typeof Customer>
/** The record, and which of its fields an update changed. */
export const ChangedCustomer = Type.Object({ ...record, changedFields: Type.Array(Type.String()) })

export const CustomerBody = dataOf(Customer)
export const CustomerPage = pageOf('customers', Customer)
export const ByEmail = strict({ email: EmailAddress })
export const CustomerQuery = pageQuery({
  isActive: Type.Optional(Type.Boolean()),
  search: Type.Optional(Text()),
  ...createdRange,
})
export type CustomerQuery = Static<typeof CustomerQuery>
