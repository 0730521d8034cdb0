import assert from 'node:assert/strict'
import type { Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { emit } from '../events/emit.ts'
import { recordHistory } from '../events/history.ts'
import { hintChanges } from './changes.ts'
import { presentEvent } from './present.ts'
import { movesTo, type PaymentStatus } from './states.ts'
import { updateStatus, type PaymentRow } from './store.ts'

/** What changes together with a status. */
export type PaymentChanges = Partial<
  Pick<
    PaymentRow,
    | 'failureReason'
    | 'attemptId'
    | 'methodId'
    | 'methodType'
    | 'methodName'
    | 'rail'
    | 'declineCount'
    | 'initiatedAt'
    | 'executedAt'
    | 'settlesAt'
    | 'settlementId'
    | 'askAt'
    | 'askCount'
  >
>

/** A payment, locked by this transaction, and the status it comes to. */
export type PaymentMove = {
  readonly payment: PaymentRow
  readonly to: PaymentStatus
  readonly changes?: PaymentChanges
}

/** The only writer of a payment's status: what really moved, with its history and its event. */
export async function movePayments(deps: Deps, tx: Tx, moves: readonly PaymentMove[]): Promise<PaymentRow[]> {
  if (moves.length === 0) return []
  const at = deps.now()
  const told = new Map(moves.map(({ payment, to }) => [payment.id, eventOf(payment.status, to)]))
  const moved = await updateStatus(
    tx,
    moves.map(({ payment, to, changes }) => ({
      from: payment.status,
      row: {
        ...payment,
        ...changes,
        status: to,
        previousStatus: payment.announcedStatus,
        announcedStatus: told.get(payment.id) === 'silent' ? payment.announcedStatus : to,
        updatedAt: at,
      },
    })),
  )
  const announced = moved.map((row) => ({ row, type: told.get(row.id)!, id: deps.newId(at) }))
  await emit(
    tx,
    announced.flatMap(({ row, type, id }) =>
      type === 'silent' ? [] : [{ organizationId: row.organizationId, id, type, data: presentEvent(row), at }],
    ),
  )
  await recordHistory(
    tx,
    announced.map(({ row, type, id }) => ({
      organizationId: row.organizationId,
      resourceType: 'payment',
      resourceId: row.id,
      status: row.status,
      eventId: type === 'silent' ? null : id,
      at,
    })),
  )
  hintChanges(tx, moved)
  deps.faultPoint('payment.announced')
  return moved
}

function eventOf(from: PaymentStatus, to: PaymentStatus) {
  const event = movesTo(from, to)
  assert(event, `a payment cannot move from ${from} to ${to}`)
  return event
}
