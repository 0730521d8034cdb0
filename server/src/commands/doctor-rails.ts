import { request } from 'undici'
import type { RailState } from '../http/operational.ts'
import { listUnmatched } from '../rails/inbox/operations.ts'
import type { Core } from '../service.ts'
import { findAddresses } from '../workers/store.ts'
import type { Finding } from './doctor.ts'

const ASK_TIMEOUT_MS = 3_000

/** Whether providers answer, as the running service finds it, and whether money waits for a person. */
export async function examineRails({ deps, db }: Core): Promise<Finding[]> {
  const { apiUrl } = await findAddresses(db)
  const waiting = await listUnmatched(deps)
  return [
    ...(apiUrl ? [await examineBreakers(apiUrl)] : []),
    {
      check: 'rail inbox',
      isFine: waiting.length === 0,
      says:
        waiting.length === 0
          ? 'nothing waits for a person'
          : `${waiting.length} notices wait for a person; see "kolo inbox list"`,
    },
  ]
}

async function examineBreakers(apiUrl: string): Promise<Finding> {
  const check = 'rails'
  try {
    const answer = await request(`${apiUrl}/health/ready`, { signal: AbortSignal.timeout(ASK_TIMEOUT_MS) })
    const { checks } = (await answer.body.json()) as { checks: { rails?: RailState[] } }
    const silent = (checks.rails ?? []).filter(({ isLeftAlone }) => isLeftAlone)
    if (silent.length === 0)
      return { check, isFine: true, says: `${checks.rails?.length ?? 0} capabilities, all asked` }
    const names = silent.map(({ rail, capability }) => `${rail} ${capability}`).join(', ')
    return { check, isFine: false, says: `${names} not answering; look at the provider's own state` }
  } catch (error) {
    return { check, isFine: false, says: `the API at ${apiUrl} does not answer: ${(error as Error).message}` }
  }
}
