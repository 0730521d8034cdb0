import type { Api } from '../app.ts'
import { refusing } from '../http/schemas.ts'
import { advanceClock, clockNow, type ClockMover } from './operations.ts'
import { Advance, AdvanceBody, ClockBody } from './schema.ts'

/** The clock can be moved in local only. */
export function clockRoutes(app: Api, mover: ClockMover): void {
  app.get('/v1/sandbox/clock', {
    schema: {
      operationId: 'getClock',
      summary: 'Read the service clock',
      tags: ['Sandbox'],
      response: { 200: ClockBody, ...refusing() },
    },
    handler: async ({ deps }) => ({ data: clockNow(deps) }),
  })

  app.post('/v1/sandbox/clock/advance', {
    config: { idempotency: 'none' },
    schema: {
      operationId: 'advanceClock',
      summary: 'Move the service clock forward',
      tags: ['Sandbox'],
      body: Advance,
      response: { 200: AdvanceBody, ...refusing('clock_busy') },
    },
    handler: async ({ deps, body }) => ({ data: await advanceClock(deps, mover, body.seconds) }),
  })
}
