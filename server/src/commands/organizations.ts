import { parseArgs } from 'node:util'
import { scopedResources } from '../http/permissions.ts'
import { createApiKey, createOrganization, setOrganizationActive } from '../organizations/operations.ts'
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

/** kolo key create --org ID [--name N] [--scopes a,b] [--json] */
export async function keyCreate(args: string[]): Promise<void> {
  const options = {
    org: { type: 'string' },
    name: { type: 'string' },
    scopes: { type: 'string' },
    json: { type: 'boolean' },
  } as const
  const { values } = parseArgs({ args, options })
  if (!values.org)
    throw new UsageError(
      'kolo key create --org <organization id> [--name N] [--scopes payments:write,wallets:read] [--json]',
    )
  const scopes = (values.scopes ?? '*').split(',')
  const known = new Set(['*', ...scopedResources.flatMap((resource) => [`${resource}:read`, `${resource}:write`])])
  const unknown = scopes.find((scope) => !known.has(scope))
  if (unknown !== undefined)
    throw new UsageError(`"${unknown}" is not a scope. Scopes are * and ${[...known].slice(1).join(', ')}.`)
  const organizationId = values.org
  const { id, apiKey } = await withCore(({ deps }) =>
    createApiKey(deps, organizationId, { name: values.name ?? 'Key made by an operator', scopes }),
  )
  say(values.json ? JSON.stringify({ id, organizationId, apiKey, scopes }) : `${apiKey}\nThe key is shown only now.`)
}
