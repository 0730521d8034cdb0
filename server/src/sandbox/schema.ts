import { Type } from 'typebox'
import { dataOf, Id, Instant, strict } from '../http/schemas.ts'

const now = {
  now: Instant,
  offsetSeconds: Type.Number({ description: 'How far the service clock is ahead of the wall clock.' }),
}

export const ClockBody = dataOf(Type.Object(now))

export const Advance = strict({ seconds: Type.Integer({ minimum: 1, maximum: 31_536_000 }) })

export const AdvanceBody = dataOf(
  Type.Object({
    ...now,
    happened: Type.Array(
      Type.Object({ at: Instant, kind: Type.String(), resourceType: Type.String(), resourceId: Id }),
    ),
    total: Type.Integer({ description: 'How much happened; happened lists the first 1,000.' }),
    complete: Type.Boolean({ description: 'Whether everything that fell due was done before this answer.' }),
  }),
)
