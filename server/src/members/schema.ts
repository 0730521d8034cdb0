import { Type, type Static } from 'typebox'
import { dataOf, Id, Instant, oneOf, optional, pageOf, pageQuery, strict, Text } from '../http/schemas.ts'
import { roles } from '../organizations/schema.ts'

export const EmailAddress = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: '^[^\\s@<>"]+@[^\\s@<>"]+\\.[^\\s@<>".]+$',
  'x-fault': 'must be an e-mail address',
})

export const NewMember = strict({ email: EmailAddress, role: oneOf(roles), name: optional(Text()) })
export type NewMember = Static<typeof NewMember>

export const MemberChange = strict({ role: oneOf(roles) })

const fields = {
  id: Id,
  organizationId: Id,
  email: Type.String(),
  name: Type.String(),
  role: oneOf(roles),
  status: oneOf(['invited', 'active'], { description: 'Invited members have not accepted yet and cannot sign in.' }),
  createdAt: Instant,
  updatedAt: Instant,
}
export const Member = Type.Object(fields)
export type Member = Static<typeof Member>
export const MemberBody = dataOf(Member)
export const InvitedBody = dataOf(
  Type.Object({
    ...fields,
    inviteUrl: Type.String({ description: 'Where the member sets a name and a password. Shown only in this answer.' }),
    inviteExpiresAt: Instant,
  }),
)
export const MemberPage = pageOf('members', Member)
export const MemberQuery = pageQuery({})
export const ByMember = strict({ id: Id, memberId: Id })
