import { Type, type Static } from 'typebox'
import { dataOf, Id, Instant } from '../http/schemas.ts'

export const roles = ['viewer', 'approver', 'developer', 'admin', 'owner'] as const
export type Role = (typeof roles)[number]

export const Organization = Type.Object({
  id: Id,
  name: Type.String(),
  approvalThresholds: Type.Unsafe<Record<string, number>>({ type: 'object', additionalProperties: { type: 'number' } }),
  createdAt: Instant,
  updatedAt: Instant,
})
export type Organization = Static<typeof Organization>
export const OrganizationBody = dataOf(Organization)
