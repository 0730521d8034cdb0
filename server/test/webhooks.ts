import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { emit } from '../src/events/emit.ts'
import { createReceiver, type Receiver } from './receiver.ts'
import type { TestService } from './service.ts'
import { createWorld, eventually, type World } from './world.ts'

/** The same master key in every process, so that each can open what another sealed. */
export const MASTER_KEY = `test:${Buffer.alloc(32, 7).toString('base64')}`

export type Attempt = {
  number: number
  trigger: string
  at: string
  durationMs: number
  responseStatus: number | null
  responseBody: string | null
  error: string | null
}

export type Delivery = {
  id: string
  endpointId: string
  eventId: string
  eventType: string
  status: string
  attemptCount: number
  nextAttemptAt: string | null
  createdAt: string
  completedAt: string | null
  attempts: Attempt[]
  payload: string
}

export type Endpoint = {
  id: string
  url: string
  events: string[]
  secret?: string
  hasSigningSecret: boolean
  headers: Record<string, string>
  isActive: boolean
  consecutiveFailures: number
  lastSuccessAt: string | null
  lastFailureAt: string | null
}

/** An organization with a receiver and an endpoint that leads to it. */
export type Hooked = {
  readonly world: World
  readonly receiver: Receiver
  readonly endpoint: Endpoint
  /** Of the organization's endpoints, and of this one. */
  readonly all: string
  readonly path: string
  deliveries(query?: string): Promise<Delivery[]>
  delivery(id: string): Promise<Delivery>
  /** The only delivery, once it is what is asked for. */
  when(what: string, isTrue: (delivery: Delivery) => boolean): Promise<Delivery>
}

export async function hook(
  t: TestContext,
  wish: Record<string, unknown> = {},
  options: { service?: TestService; receiver?: Receiver } = {},
): Promise<Hooked> {
  const world = await createWorld(t, options.service)
  const receiver = options.receiver ?? (await createReceiver(t))
  const all = `/organizations/${world.organizationId}/webhooks`
  const created = await world.post(all, { url: `${receiver.url}/hook`, ...wish })
  assert.equal(created.statusCode, 201, created.body)
  const endpoint = created.json<{ data: Endpoint }>().data
  const path = `${all}/${endpoint.id}`
  const hooked: Hooked = {
    world,
    receiver,
    endpoint,
    all,
    path,
    async deliveries(query = '') {
      const response = await world.get(`${path}/deliveries${query}`)
      assert.equal(response.statusCode, 200, response.body)
      return response.json<{ data: { deliveries: Delivery[] } }>().data.deliveries
    },
    async delivery(id) {
      return (await world.get(`${path}/deliveries/${id}`)).json<{ data: Delivery }>().data
    },
    async when(what, isTrue) {
      await eventually(what, async () => {
        const [one] = await hooked.deliveries()
        return one !== undefined && isTrue(one)
      })
      return hooked.delivery((await hooked.deliveries())[0]!.id)
    },
  }
  return hooked
}

let announced = 0

/** Something happens that is announced. */
export async function announce(world: World): Promise<void> {
  const reference = `announced-${(announced += 1)}`
  await world.fund('NGN', 1_500)
  const body = { reference, sourceCurrency: 'NGN', targetCurrency: 'USD', sourceAmount: 1_500 }
  const response = await world.post('/v1/transfers', body)
  assert.equal(response.statusCode, 201, response.body)
}

/** Events in one transaction, as many as are wanted, for one organization. */
export async function announceMany({ deps }: TestService, organizationId: string, count: number): Promise<string[]> {
  const at = deps.now()
  const events = Array.from({ length: count }, (_, index) => ({
    organizationId,
    id: deps.newId(at),
    type: 'transfer.completed' as const,
    data: { index },
    at,
  }))
  await deps.db.transaction((tx) => emit(tx, events))
  return events.map(({ id }) => id)
}

export const hours = (count: number) => count * 3600
