import type { Customer } from './schema.ts'
import type { CustomerRow } from './store.ts'

/** The record as callers and events see it: of an identity number only the mask. */
export function present(row: CustomerRow): Customer {
  const { id, firstName, lastName, email, phone, dateOfBirth, gender, identityType, address, metadata, isActive } = row
  return {
    id,
    firstName,
    lastName,
    email,
    phone,
    dateOfBirth,
    gender,
    identityType,
    identityNumber: row.identityMasked,
    identityVerified: row.identityVerifiedAt !== null,
    identityVerifiedAt: row.identityVerifiedAt?.toISOString() ?? null,
    address,
    metadata,
    isActive,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}
