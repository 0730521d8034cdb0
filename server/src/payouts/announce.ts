import assert from 'node:assert/strict'
import type { Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import type { EventType } from '../events/catalogue.ts'
import { emit } from '../events/emit.ts'
import { recordHistory } from '../events/history.ts'
import { post, type Posting } from '../ledger/post.ts'
import { closeAnswered } from '../review-items/open.ts'
import { closeOrders } from './order-store.ts'
import { completionPosting, holdPosting, releasePosting } from './postings.ts'
import { present } from './present.ts'
import { payoutMoves, type PayoutStatus } from './states.ts'
import * as store from './store.ts'

/**
 * Writes new payouts: record, history, event, and amount and fee held. Answers those whose reference was free. Money
 * comes last, so that the wallet's row is locked only for that and the commit.
 */
export async function addPayouts(
  deps: Deps,
  tx: Tx,
  rows: readonly store.NewPayoutRow[],
): Promise<readonly store.NewPayoutRow[]> {
  if (rows.length === 0) return []
  const inserted = await store.insertPayouts(tx, rows)
  const added = rows.filter(({ id }) => inserted.has(id))
  deps.faultPoint('payout.created')
  await post(tx, added.map(holdPosting))
  deps.faultPoint('payout.held')
  return added
}

/**
 * The only writer of a payout's status. What really moved, with its money, its history and its event: a move without
 * them cannot be written.
 */
export async function movePayouts(
  deps: Deps,
  tx: Tx,
  moves: readonly store.StatusUpdate[],
): Promise<store.PayoutRow[]> {
  if (moves.length === 0) return []
  for (const { from, to } of moves) eventOf(from, to)
  const moved = await store.updateStatus(tx, moves)
  const told = moved.map((row) => {
    const at = row.updatedAt
    const statusHistory = [...row.statusHistory, { status: row.status, at: at.toISOString() }]
    return {
      row: { ...row, statusHistory },
      type: eventOf(row.previousStatus, row.status),
      eventId: deps.newId(at),
      at,
    }
  })
  await emit(
    tx,
    told.flatMap(({ row, type, eventId, at }) => {
      const data = { ...present(row), previousStatus: row.previousStatus }
      return type ? [{ organizationId: row.organizationId, id: eventId, type, data, at }] : []
    }),
  )
  await recordHistory(
    tx,
    told.map(({ row, type, eventId, at }) => ({
      organizationId: row.organizationId,
      resourceType: 'payout',
      resourceId: row.id,
      status: row.status,
      eventId: type ? eventId : null,
      at,
    })),
  )
  const ended = moved.filter(({ status }) => status === 'completed' || status === 'failed')
  if (ended.length > 0) await closeOrders(tx, ended)
  await closeAnswered(deps, tx, ended)
  deps.faultPoint('payout.announced')
  await post(
    tx,
    moved.flatMap((row) => moneyOf(row)),
  )
  return told.map(({ row }) => row)
}

/** What a status means for the money. */
function moneyOf(row: store.PayoutRow): Posting[] {
  switch (row.status) {
    case 'completed':
      return [completionPosting(row, row.updatedAt)]
    case 'failed':
    case 'cancelled':
      return [releasePosting(row, row.updatedAt)]
    case 'pending_approval':
    case 'pending':
    case 'processing':
      return []
  }
}

function eventOf(from: PayoutStatus, to: PayoutStatus): EventType | null {
  const event = (payoutMoves[from] as Partial<Record<PayoutStatus, EventType | 'silent'>>)[to]
  assert(event !== undefined, `a payout cannot move from ${from} to ${to}`)
  return event === 'silent' ? null : event
}
