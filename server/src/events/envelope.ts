import type { EventType } from './catalogue.ts'

/** An event before it is written: what happened, to whom, when. */
export type NewEvent = {
  readonly organizationId: string
  readonly id: string
  readonly type: EventType
  readonly data: object
  readonly at: Date
}

/** The bytes that are kept, signed and sent: made once, never again. */
export function envelope({ id, type, data, at }: Pick<NewEvent, 'id' | 'at' | 'data'> & { type: string }): string {
  return JSON.stringify({ id, type, createdAt: at.toISOString(), data })
}
