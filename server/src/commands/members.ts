import { parseArgs } from 'node:util'
import { resetPassword } from '../auth/operations.ts'
import { createMember } from '../members/operations.ts'
import { hashPassword } from '../members/password.ts'
import { makePassword, requireOrganization } from '../organizations/operations.ts'
import { roles } from '../organizations/schema.ts'
import { say, UsageError } from './output.ts'
import { withCore } from './with-core.ts'

/** kolo member create --org ID --email E [--role R] [--name N] [--json] */
export async function memberCreate(args: string[]): Promise<void> {
  const options = {
    org: { type: 'string' },
    email: { type: 'string' },
    role: { type: 'string', default: 'owner' },
    name: { type: 'string' },
    json: { type: 'boolean' },
  } as const
  const { values } = parseArgs({ args, options })
  const { org: organizationId, email } = values
  const role = roles.find((known) => known === values.role)
  if (!organizationId || !email || !/^[^\s@]+@[^\s@]+$/.test(email) || !role)
    throw new UsageError(
      `kolo member create --org <organization id> --email ada@acme.example [--role ${roles.join('|')}] [--name N] [--json]`,
    )
  const password = makePassword()
  const passwordHash = await hashPassword(password)
  const name = values.name ?? email
  const member = await withCore(async ({ deps }) => {
    await requireOrganization(deps.db, organizationId)
    return createMember(deps, { organizationId, email, name, role, passwordHash })
  })
  sayPassword({ memberId: member.id, organizationId, email, role, password }, values.json)
}

/** kolo member reset --email E [--json] */
export async function memberReset(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { email: { type: 'string' }, json: { type: 'boolean' } } })
  const { email } = values
  if (!email) throw new UsageError('kolo member reset --email ada@acme.example [--json]')
  const password = makePassword()
  const { id, organizationId, role } = await withCore(({ deps }) => resetPassword(deps, email, password))
  sayPassword({ memberId: id, organizationId, email, role, password }, values.json)
}

type Access = { memberId: string; organizationId: string; email: string; role: string; password: string }

function sayPassword(access: Access, isJson: boolean | undefined): void {
  if (isJson) return say(JSON.stringify(access))
  say(`member    ${access.memberId}\ne-mail    ${access.email}\nrole      ${access.role}\npassword  ${access.password}`)
  say('The password is shown only now.')
}
