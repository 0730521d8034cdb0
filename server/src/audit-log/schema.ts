import { Type, type Static } from 'typebox'
import { Id, Instant, nullable, oneOf, pageOf, pageQuery, Text } from '../http/schemas.ts'
import { auditActions } from './actions.ts'

const overview = Object.entries(auditActions)
  .map(([action, meaning]) => `\`${action}\`: ${meaning}`)
  .join('\n\n')

export const AuditEntry = Type.Object({
  id: Id,
  at: Instant,
  actor: Type.Object({
    type: oneOf(['member', 'key', 'operator']),
    id: nullable(Type.String({ description: 'Of the member or the key; null for an operator.' })),
    email: nullable(Type.String({ description: 'Of the member, as it was then.' })),
  }),
  action: Type.String({
    description: `One of these, or the operationId of another write a member made.\n\n${overview}`,
  }),
  resourceType: Type.String(),
  resourceId: Type.String(),
  ip: nullable(Type.String()),
  changes: Type.Unsafe<Record<string, { from: unknown; to: unknown }>>({
    type: 'object',
    additionalProperties: true,
    description: 'By field, `{ from, to }`. Never a secret.',
  }),
})
export type AuditEntry = Static<typeof AuditEntry>
export const AuditPage = pageOf('auditEntries', AuditEntry)
export const AuditQuery = pageQuery({ action: Type.Optional(Text(100)) })
export type AuditQuery = Static<typeof AuditQuery>
