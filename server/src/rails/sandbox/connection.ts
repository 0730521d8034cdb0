import type { Config } from '../../config.ts'
import type { Db } from '../../db/database.ts'
import type { Secrets } from '../../secrets.ts'
import { findAddresses } from '../../workers/store.ts'
import type { SandboxConnection } from './client.ts'

/** How this deployment and the built-in provider find each other: through the processes of the deployment. */
export function sandboxConnection(config: Config, db: Db, secrets: Secrets): SandboxConnection {
  return {
    url: async () => (await findAddresses(db)).simulatorUrl ?? undefined,
    noticeUrl: async (rail) => {
      const origin = config.publicUrl ?? (await findAddresses(db)).apiUrl
      return origin ? `${origin}/rails/${rail}/notices` : undefined
    },
    secret: sharedSecret(secrets),
    timeoutMs: config.railTimeoutMs,
  }
}

/** Known to both sides and to nobody else, without a setting of its own. */
export function sharedSecret(secrets: Secrets): string {
  return secrets.mac('sandbox-provider', 'shared').toString('hex')
}
