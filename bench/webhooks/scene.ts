import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { emit } from '../../server/src/events/emit.ts'
import type { Deps } from '../../server/src/deps.ts'
import { createOrganization } from '../../server/src/organizations/operations.ts'
import { createEndpoint } from '../../server/src/webhooks/operations.ts'

export type Tally = { received: number; latenciesMs: number[] }

/** The other side, in a process of its own. */
export async function startReceiver() {
  const child = fork(fileURLToPath(new URL('receiver.ts', import.meta.url)))
  const [{ port, silentPort }] = (await once(child, 'message')) as [{ port: number; silentPort: number }]
  return {
    url: `http://127.0.0.1:${port}`,
    silentUrl: `http://127.0.0.1:${silentPort}`,
    /** What has arrived since it was last asked. */
    async tally(): Promise<Tally> {
      const answer = once(child, 'message')
      child.send({})
      return ((await answer) as [Tally])[0]
    },
    stop: () => child.disconnect(),
  }
}

const operator = {
  type: 'key',
  id: '00000000-0000-7000-8000-000000000000',
  scopes: ['*'],
  madeBy: null,
  ip: '',
} as const

/** An endpoint at a URL, of an organization of its own unless one is given. */
export async function addListener(
  deps: Deps,
  url: string,
  ofOrganization?: string,
): Promise<{ organizationId: string; endpointId: string }> {
  const organizationId = ofOrganization ?? (await createOrganization(deps, 'Listener')).organizationId
  const { id } = await createEndpoint(deps, organizationId, operator, { url })
  return { organizationId, endpointId: id }
}

/** What a real event carries, about 700 bytes. */
const record = {
  id: '01a1dd08-ebb0-7452-9a8e-b9320104e941',
  kind: 'conversion',
  direction: 'out',
  reference: 'order-2026-11-15-000001',
  status: 'completed',
  failureReason: null,
  sourceAmount: 15000,
  sourceCurrency: 'NGN',
  targetAmount: 9.9,
  targetCurrency: 'USD',
  exchangeRate: 0.00066,
  sourceOrganizationId: '01a1dd08-eb75-7261-ab02-61ea03825149',
  destinationOrganizationId: '01a1dd08-eb75-7261-ab02-61ea03825149',
  payoutId: null,
  description: 'Conversion of the takings of the fourteenth of November',
  createdAt: '2026-11-15T02:28:31.792Z',
  completedAt: '2026-11-15T02:28:31.792Z',
}

export const sampleBody = JSON.stringify({
  id: record.id,
  type: 'transfer.completed',
  createdAt: record.createdAt,
  data: record,
})

/** Announces one event for each of the given organizations, in one transaction, as an operation would. */
export async function announce(deps: Deps, organizationIds: readonly string[]): Promise<void> {
  const at = deps.now()
  const events = organizationIds.map((organizationId) => ({
    organizationId,
    id: deps.newId(at),
    type: 'transfer.completed' as const,
    data: record,
    at,
  }))
  await deps.db.transaction((tx) => emit(tx, events))
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
