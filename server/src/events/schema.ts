import { Type, type Static } from 'typebox'
import { createdRange, dataOf, Id, Instant, oneOf, pageOf, pageQuery } from '../http/schemas.ts'
import { eventTypes } from './catalogue.ts'

export const Event = Type.Object({
  id: Id,
  type: Type.String(),
  createdAt: Instant,
  data: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
})
export const EventBody = dataOf(Event)
export const EventPage = pageOf('events', Event)
export const EventQuery = pageQuery({ type: Type.Optional(oneOf(eventTypes)), ...createdRange })
export type EventQuery = Static<typeof EventQuery>
