import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isApiKeyOf } from '../api-keys/operations.ts'
import type { Deps } from '../deps.ts'
import { writeWhole } from '../local-secrets.ts'
import { createOrganization, type Founded } from '../organizations/operations.ts'

export type LocalAccess = Founded & { readonly baseUrl: string }

/**
 * In `local` an organization, its owner and a key exist from the first start on, written to local.json for its reader's
 * eyes only. Later starts keep them and write down where the service listens now.
 */
export async function provideLocalAccess(deps: Deps): Promise<LocalAccess> {
  const file = join(deps.config.dataDir, 'local.json')
  const kept = readKept(file)
  const founded =
    kept && (await isApiKeyOf(deps, kept.organizationId, kept.apiKey))
      ? kept
      : await createOrganization(deps, 'Local organization')
  const access = { ...founded, baseUrl: `${deps.publicUrl()}/api` }
  const { baseUrl, organizationId, apiKey, email, password } = access
  writeWhole(file, `${JSON.stringify({ baseUrl, organizationId, apiKey, email, password }, null, 2)}\n`)
  return access
}

function readKept(file: string): Founded | undefined {
  if (!existsSync(file)) return undefined
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Founded
  } catch {
    return undefined
  }
}
