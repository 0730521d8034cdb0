import { violated, type Db, type Tx } from '../db/database.ts'
import { createdConditions, listPage, type Page } from '../db/paging.ts'
import { sql } from '../db/sql.ts'
import { Refusal } from '../errors.ts'
import type { Customer, CustomerQuery, IdentityType } from './schema.ts'

export type CustomerRow = {
  organizationId: string
  id: string
  firstName: string
  lastName: string
  email: string
  phone: string | null
  dateOfBirth: string | null
  gender: Customer['gender']
  identityType: IdentityType | null
  identitySealed: string | null
  identityMasked: string | null
  identityVerifiedAt: Date | null
  address: Customer['address']
  metadata: Customer['metadata']
  isActive: boolean
  searchText: string
  createdBy: string | null
  createdAt: Date
  updatedAt: Date
}

const columns = `
  organization_id as "organizationId", id, first_name as "firstName", last_name as "lastName", email, phone,
  date_of_birth::text as "dateOfBirth", gender, identity_type as "identityType", identity_sealed as "identitySealed",
  identity_masked as "identityMasked", identity_verified_at as "identityVerifiedAt", address, metadata,
  is_active as "isActive", search_text as "searchText", created_by as "createdBy",
  created_at as "createdAt", updated_at as "updatedAt"`

/** What e-mail addresses are compared by. */
export function emailKey(email: string): string {
  return email.toLowerCase()
}

const insertSql = sql`
  insert into customers (organization_id, id, first_name, last_name, email, email_key, phone, date_of_birth, gender,
                         identity_type, identity_sealed, identity_masked, identity_verified_at, address, metadata,
                         is_active, search_text, updated_at, created_by, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)`

export async function insertCustomer(tx: Tx, row: CustomerRow): Promise<void> {
  await refusingTakenEmail(() => tx.many(insertSql, [...valuesOf(row), row.createdBy, row.createdAt]))
}

const updateSql = sql`
  update customers
     set first_name = $3, last_name = $4, email = $5, email_key = $6, phone = $7, date_of_birth = $8, gender = $9,
         identity_type = $10, identity_sealed = $11, identity_masked = $12, identity_verified_at = $13,
         address = $14, metadata = $15, is_active = $16, search_text = $17, updated_at = $18
   where organization_id = $1 and id = $2`

export async function updateCustomer(tx: Tx, row: CustomerRow): Promise<void> {
  await refusingTakenEmail(() => tx.many(updateSql, valuesOf(row)))
}

function valuesOf(row: CustomerRow): unknown[] {
  const { organizationId, id, firstName, lastName, email, phone, dateOfBirth, gender, isActive, searchText } = row
  const { identityType, identitySealed, identityMasked, identityVerifiedAt, address, metadata, updatedAt } = row
  return [
    organizationId,
    id,
    firstName,
    lastName,
    email,
    emailKey(email),
    phone,
    dateOfBirth,
    gender,
    identityType,
    identitySealed,
    identityMasked,
    identityVerifiedAt,
    address && JSON.stringify(address),
    metadata && JSON.stringify(metadata),
    isActive,
    searchText,
    updatedAt,
  ]
}

async function refusingTakenEmail(write: () => Promise<unknown>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (violated(error) === 'customers_email_taken') throw new Refusal('email_taken', { param: 'email' })
    throw error
  }
}

const findSql = sql<CustomerRow>`select ${columns} from customers where organization_id = $1 and id = $2`

export function findCustomer(db: Db, organizationId: string, id: string): Promise<CustomerRow | undefined> {
  return db.maybe(findSql, [organizationId, id])
}

const lockSql = sql<CustomerRow>`select ${columns} from customers where organization_id = $1 and id = $2 for update`

export function lockCustomer(tx: Tx, organizationId: string, id: string): Promise<CustomerRow | undefined> {
  return tx.maybe(lockSql, [organizationId, id])
}

const findByEmailSql = sql<CustomerRow>`select ${columns} from customers where organization_id = $1 and email_key = $2`

export function findCustomerByEmail(db: Db, organizationId: string, email: string): Promise<CustomerRow | undefined> {
  return db.maybe(findByEmailSql, [organizationId, emailKey(email)])
}

export function listCustomers(db: Db, organizationId: string, query: CustomerQuery): Promise<Page<CustomerRow>> {
  return listPage(
    db,
    { columns, from: 'customers', id: 'id' },
    [
      { text: 'organization_id = ?', value: organizationId },
      ...(query.isActive === undefined ? [] : [{ text: 'is_active = ?', value: query.isActive }]),
      ...(query.search === undefined
        ? []
        : [{ text: 'strpos(search_text, ?) > 0', value: query.search.trim().toLowerCase() }]),
      ...createdConditions(query, 'id'),
    ],
    query,
  )
}

export type SealedIdentity = { organizationId: string; id: string; sealed: string }

const sealedByOthersSql = sql<SealedIdentity>`
  select organization_id as "organizationId", id, identity_sealed as sealed from customers
   where identity_sealed not like $1 order by organization_id, id limit $2 for update`

export function lockSealedByOthers(tx: Tx, beginning: string, most: number): Promise<SealedIdentity[]> {
  return tx.many(sealedByOthersSql, [`${beginning}%`, most])
}

const updateSealedSql = sql`update customers set identity_sealed = $3 where organization_id = $1 and id = $2`

export async function updateSealed(tx: Tx, { organizationId, id, sealed }: SealedIdentity): Promise<void> {
  await tx.many(updateSealedSql, [organizationId, id, sealed])
}
