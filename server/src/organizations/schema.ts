import { Type, type Static } from 'typebox'
import { Amount, dataOf, Id, Instant, nullable, optional, strict, Text } from '../http/schemas.ts'
import { currencies } from '../money/currencies.ts'

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

const Threshold = Type.Optional(nullable(Amount))

export const OrganizationChange = strict({
  name: Type.Optional(Text()),
  approvalThresholds: optional(
    Type.Unsafe<Record<string, number | null>>({
      ...strict(Object.fromEntries(currencies.map((currency) => [currency, Threshold]))),
      description: 'A payout whose source amount reaches the threshold of its currency waits for an approver.',
    }),
  ),
})
export type OrganizationChange = Static<typeof OrganizationChange>
