import { Type, type Static } from 'typebox'
import { Id, Instant, nullable, oneOf, pageOf, pageQuery } from '../http/schemas.ts'
import { auditActions, type AuditAction } from './actions.ts'

const actions = Object.keys(auditActions) as AuditAction[]

export const AuditEntry = Type.Object({
  id: Id,
  at: Instant,
  actor: Type.Object({
    type: oneOf(['member', 'key', 'operator']),
    id: nullable(Type.String({ description: 'Of the member or the key; null for an operator.' })),
    email: nullable(Type.String({ description: 'Of the member, as it was then.' })),
  }),
  action: oneOf(actions, {
    description: Object.entries(auditActions)
      .map(([action, meaning]) => `\`${action}\`: ${meaning}`)
      .join('\n\n'),
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
export const AuditQuery = pageQuery({ action: Type.Optional(oneOf(actions)) })
export type AuditQuery = Static<typeof AuditQuery>
