import { Type, type Static } from 'typebox'
import { dataOf, Id, Instant, oneOf, strict, Text } from '../http/schemas.ts'
import { roles } from '../organizations/schema.ts'

/** In characters. */
export const NEW_PASSWORD = { least: 12, most: 128 }
export const NAME = { least: 1, most: 255 }

const NewPassword = Type.String({ minLength: NEW_PASSWORD.least, maxLength: NEW_PASSWORD.most })
/** Any text: whether it is the password is not a question of its shape. */
const GivenPassword = Type.String({ minLength: 1, maxLength: 1024 })

export const Login = strict({ email: Text(), password: GivenPassword })
export type Login = Static<typeof Login>

export const PasswordChange = strict({ current: GivenPassword, new: NewPassword })
export type PasswordChange = Static<typeof PasswordChange>

export const AcceptInvite = strict({ token: Text(), name: Text(NAME.most, NAME.least), password: NewPassword })
export type AcceptInvite = Static<typeof AcceptInvite>

const SignedIn = Type.Object({
  token: Type.String({ description: 'A JWT, sent like an API key: `Authorization: Bearer <token>`.' }),
  expiresAt: Instant,
  member: Type.Object({ id: Id, email: Type.String(), name: Type.String(), role: oneOf(roles), organizationId: Id }),
})
export type SignedIn = Static<typeof SignedIn>
export const SignedInBody = dataOf(SignedIn)
export const SignedOutBody = dataOf(Type.Object({ signedOut: Type.Boolean() }))
export const PasswordChangedBody = dataOf(Type.Object({ changedAt: Instant }))
