import { parseArgs } from 'node:util'
import { addApiKey, listApiKeys, revokeApiKey } from '../api-keys/operations.ts'
import { keyScopes } from '../http/permissions.ts'
import { requireOrganization } from '../organizations/operations.ts'
import { say, UsageError } from './output.ts'
import { withCore } from './with-core.ts'

/** kolo key create --org ID [--name N] [--scopes a,b] [--json] */
export async function keyCreate(args: string[]): Promise<void> {
  const options = {
    org: { type: 'string' },
    name: { type: 'string', default: 'Key made by an operator' },
    scopes: { type: 'string', default: '*' },
    json: { type: 'boolean' },
  } as const
  const { org: organizationId, name, scopes: text, json } = parseArgs({ args, options }).values
  if (!organizationId)
    throw new UsageError(
      'kolo key create --org <organization id> [--name N] [--scopes payments:write,wallets:read] [--json]',
    )
  const scopes = text.split(',')
  const unknown = scopes.find((scope) => !keyScopes.some((known) => known === scope))
  if (unknown !== undefined) throw new UsageError(`"${unknown}" is not a scope. Scopes are ${keyScopes.join(', ')}.`)
  const { id, key } = await withCore(async ({ deps }) => {
    await requireOrganization(deps.db, organizationId)
    const wish = { name, scopes, expiresAt: null, actor: { type: 'operator' } } as const
    return deps.db.transaction((tx) => addApiKey(deps, tx, organizationId, wish))
  })
  say(json ? JSON.stringify({ id, organizationId, apiKey: key, scopes }) : `${key}\nThe key is shown only now.`)
}

const MOST_LISTED = 100

/** kolo key list --org ID [--json] */
export async function keyList(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { org: { type: 'string' }, json: { type: 'boolean' } } })
  const organizationId = values.org
  if (!organizationId) throw new UsageError('kolo key list --org <organization id> [--json]')
  const keys = await withCore(async ({ deps }) => {
    await requireOrganization(deps.db, organizationId)
    const found = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await listApiKeys(deps, organizationId, { limit: MOST_LISTED, ...(cursor && { cursor }) })
      found.push(...page.apiKeys)
      cursor = page.pagination.nextCursor
    }
    return found
  })
  if (values.json) return say(JSON.stringify(keys))
  for (const { id, prefix, lastFour, scopes, lastUsedAt, revokedAt, name } of keys) {
    const state = revokedAt ? `revoked ${revokedAt}` : `last used ${lastUsedAt ?? 'never'}`
    say(`${id}  ${prefix}…${lastFour}  ${scopes.join(',')}  ${state}  ${name}`)
  }
}

/** kolo key revoke --org ID --id KEY_ID */
export async function keyRevoke(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { org: { type: 'string' }, id: { type: 'string' } } })
  const { org, id } = values
  if (!org || !id) throw new UsageError('kolo key revoke --org <organization id> --id <key id, see kolo key list>')
  await withCore(({ deps }) => revokeApiKey(deps, org, { type: 'operator' }, id))
  say(`The key ${id} is revoked; every process refuses it within a second.`)
}
