import { getGlobalDispatcher } from 'undici'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import { createClient } from '../rails/sandbox/client.ts'
import { sandboxConnection } from '../rails/sandbox/connection.ts'

/** Where the built-in provider is to send what follows from a command. */
export async function noticeUrlOf(deps: Deps, rail: string): Promise<string> {
  const url = await sandboxConnection(deps.config, deps.db, deps.secrets).noticeUrl(rail)
  if (!url) throw new Refusal('sandbox_provider_unavailable')
  return url
}

/**
 * Tells the built-in provider to do something, as a developer wishes; its effect follows by notice. Answers once the
 * provider has taken the command. Only sandbox routes know that the provider can be told.
 */
export async function commandProvider<T = unknown>(deps: Deps, path: string, body: object = {}): Promise<T> {
  const client = createClient(sandboxConnection(deps.config, deps.db, deps.secrets), getGlobalDispatcher())
  const reply = await client.ask<T>('POST', path, body)
  switch (reply.state) {
    case 'answered':
      return reply.value
    case 'refused':
      throw reply.reason === 'not_found'
        ? new Refusal('not_found')
        : new Refusal('sandbox_refused', { message: `The built-in provider refuses this command: ${reply.reason}.` })
    case 'unknown':
      throw new Refusal('sandbox_provider_unavailable')
  }
}
