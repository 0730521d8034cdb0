import type { Logger } from 'pino'
import type { Tokens } from './auth/tokens.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { Db } from './db/database.ts'
import type { FaultPoint } from './fault-point.ts'
import type { Metrics } from './metrics.ts'
import type { Rails } from './rails/registry.ts'
import type { Secrets } from './secrets.ts'
import type { NameLookup } from './webhooks/lookup.ts'

/** What an operation may reach. Comes first in every signature; there is no other way to the outside. */
export type Deps = {
  readonly config: Config
  readonly db: Db
  readonly clock: Clock
  /** The service clock's instant. */
  readonly now: () => Date
  /** A new UUIDv7 of an instant of the service clock. */
  readonly newId: (at: Date) => string
  readonly secrets: Secrets
  /** The JWTs of members. */
  readonly tokens: Tokens
  /** Hears, within one request, that an act was written into the audit log. */
  readonly onAct?: () => void
  /** Calls back when a committed transaction, here or in another process, has woken a name; answers how to stop. */
  readonly onWake: (name: string, callback: () => void) => () => void
  /** The origin under which others reach this deployment. */
  readonly publicUrl: () => string
  /** The providers of this deployment. */
  readonly rails: Rails
  /** Every address of a name, as asked just now. */
  readonly lookup: NameLookup
  readonly log: Logger
  readonly metrics: Metrics
  /** Says that a numbered place is passed; a test may have chosen it for the process to die at. */
  readonly faultPoint: (point: FaultPoint) => void
}
