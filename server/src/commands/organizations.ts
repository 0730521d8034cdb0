import { parseArgs } from 'node:util'
import { createOrganization, setOrganizationActive } from '../organizations/operations.ts'
import { say, UsageError } from './output.ts'
import { withCore } from './with-core.ts'

/** kolo org create --name N [--email E] [--json] */
export async function orgCreate(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { name: { type: 'string' }, email: { type: 'string' }, json: { type: 'boolean' } },
  })
  const { name, email } = values
  if (!name?.trim() || name.length > 255)
    throw new UsageError('kolo org create --name "Acme" [--email owner@acme.example] [--json]')
  const founded = await withCore(({ deps }) => createOrganization(deps, name, email))
  if (values.json) return say(JSON.stringify(founded))
  say(
    `organization  ${founded.organizationId}\nAPI key       ${founded.apiKey}\nowner         ${founded.email}\npassword      ${founded.password}`,
  )
  say('The key and the password are shown only now.')
}

/** kolo org close|open --id ID */
export async function orgSetActive(args: string[], isActive: boolean): Promise<void> {
  const { values } = parseArgs({ args, options: { id: { type: 'string' } } })
  const { id } = values
  if (!id) throw new UsageError(`kolo org ${isActive ? 'open' : 'close'} --id <organization id>`)
  await withCore(({ deps }) => setOrganizationActive(deps, id, isActive))
  say(`The organization ${id} is ${isActive ? 'open' : 'closed'}.`)
}
