import assert from 'node:assert/strict'
import type { Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import type { EventType } from '../events/catalogue.ts'
import { emit } from '../events/emit.ts'
import { recordHistory } from '../events/history.ts'
import { present } from './present.ts'
import { transferMoves, type TransferStatus } from './states.ts'
import { insertTransfers, updateStatus, type StatusUpdate, type TransferRow } from './store.ts'

/** Writes new transfers with the history and the event of the status they begin in. */
export async function addTransfers(deps: Deps, tx: Tx, rows: readonly TransferRow[]): Promise<void> {
  await insertTransfers(tx, rows)
  await announce(deps, tx, rows, (row) => (row.status === 'completed' ? 'transfer.completed' : null))
}

/** The only writer of a transfer's status: what really moved, with its history and its event. */
export async function moveTransfers(deps: Deps, tx: Tx, updates: readonly StatusUpdate[]): Promise<TransferRow[]> {
  const told = new Map(
    updates.map((update) => [`${update.organizationId}/${update.id}`, eventOf(update.from, update.to)]),
  )
  const moved = await updateStatus(tx, updates)
  await announce(deps, tx, moved, (row) => told.get(`${row.organizationId}/${row.id}`) ?? null)
  return moved
}

function eventOf(from: TransferStatus, to: TransferStatus): EventType {
  const event = (transferMoves[from] as Partial<Record<TransferStatus, EventType>>)[to]
  assert(event, `a transfer cannot move from ${from} to ${to}`)
  return event
}

async function announce(
  deps: Deps,
  tx: Tx,
  rows: readonly TransferRow[],
  eventFor: (row: TransferRow) => EventType | null,
): Promise<void> {
  const at = deps.now()
  const told = rows.map((row) => ({ row, type: eventFor(row), id: deps.newId(at) }))
  await emit(
    tx,
    told.flatMap(({ row, type, id }) =>
      type ? [{ organizationId: row.organizationId, id, type, data: present(row), at }] : [],
    ),
  )
  await recordHistory(
    tx,
    told.map(({ row, type, id }) => ({
      organizationId: row.organizationId,
      resourceType: 'transfer',
      resourceId: row.id,
      status: row.status,
      eventId: type ? id : null,
      at,
    })),
  )
}
