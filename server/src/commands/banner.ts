import type { Deps } from '../deps.ts'
import type { Role } from '../service.ts'
import type { LocalAccess } from './local.ts'

/** What a person sees when the service is up: where things are, and a request that works when pasted. */
export function banner({ config, publicUrl }: Deps, roles: readonly Role[], access?: LocalAccess): string {
  const origin = publicUrl()
  const lines = [`Kolo is ready (${config.env}; ${roles.join(', ')}).`]
  if (roles.includes('api'))
    lines.push('', `  API      ${origin}/api`, `  Docs     ${origin}/docs`, `  Health   ${origin}/health/ready`)
  if (access) {
    lines.push('', 'Try it:', '', `  curl -H 'Authorization: Bearer ${access.apiKey}' ${origin}/api/v1/wallets`)
    lines.push('', `The key and the owner's password are in ${config.dataDir}/local.json.`)
  }
  return `${lines.join('\n')}\n`
}
