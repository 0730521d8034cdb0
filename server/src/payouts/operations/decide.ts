import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { recordAct } from '../../audit-log/operations.ts'
import type { AuditAction } from '../../audit-log/actions.ts'
import { Refusal } from '../../errors.ts'
import type { Actor } from '../../http/authentication.ts'
import { movePayouts } from '../announce.ts'
import { present } from '../present.ts'
import type { Payout } from '../schema.ts'
import * as store from '../store.ts'

/** Lets a payout go out. Never by the one who made it, nor by the maker of the key that did. */
export async function approvePayout(deps: Deps, organizationId: string, actor: Actor, id: string): Promise<Payout> {
  return deps.db.transaction(async (tx) => {
    const row = await lock(tx, organizationId, id)
    if (row.madeBy !== null && row.madeBy === actor.id) throw new Refusal('self_approval')
    if (row.status !== 'pending_approval') throw new Refusal('payout_not_pending_approval')
    const moved = await move(deps, tx, row, { to: 'pending', approvedBy: actor.id })
    await record(deps, tx, actor, 'payout.approved', row, moved)
    tx.wake('payouts')
    return present(moved)
  })
}

export async function rejectPayout(
  deps: Deps,
  organizationId: string,
  actor: Actor,
  id: string,
  reason: string | null,
): Promise<Payout> {
  return deps.db.transaction(async (tx) => {
    const row = await lock(tx, organizationId, id)
    if (row.status !== 'pending_approval') throw new Refusal('payout_not_pending_approval')
    const moved = await move(deps, tx, row, { to: 'cancelled', failureReason: reason ?? 'rejected' })
    await record(deps, tx, actor, 'payout.rejected', row, moved)
    return present(moved)
  })
}

/** Takes back a payout that no rail was told of. Twice is fine. */
export async function cancelPayout(deps: Deps, organizationId: string, actor: Actor, id: string): Promise<Payout> {
  return deps.db.transaction(async (tx) => {
    const row = await lock(tx, organizationId, id)
    if (row.status === 'cancelled') return present(row)
    if (row.status !== 'pending_approval' && row.status !== 'pending') throw new Refusal('payout_not_cancellable')
    const moved = await move(deps, tx, row, { to: 'cancelled' })
    await record(deps, tx, actor, 'payout.cancelled', row, moved)
    return present(moved)
  })
}

/** Cancels those of the given payouts nobody has decided about yet. Answers which. */
export async function cancelUndecided(deps: Deps, keys: readonly store.PayoutKey[]): Promise<store.PayoutRow[]> {
  return deps.db.transaction(async (tx) => {
    const at = deps.now()
    const waiting = await store.lockPayouts(tx, keys)
    return movePayouts(
      deps,
      tx,
      waiting
        .filter(({ status }) => status === 'pending_approval')
        .map(({ organizationId, id }) => ({
          organizationId,
          id,
          from: 'pending_approval',
          to: 'cancelled',
          at,
          failureReason: 'approval_expired',
        })),
    )
  })
}

async function lock(tx: Tx, organizationId: string, id: string): Promise<store.PayoutRow> {
  const [row] = await store.lockPayouts(tx, [{ organizationId, id }])
  if (!row) throw new Refusal('not_found')
  return row
}

async function move(
  deps: Deps,
  tx: Tx,
  { organizationId, id, status }: store.PayoutRow,
  change: Pick<store.StatusUpdate, 'to' | 'failureReason' | 'approvedBy'>,
): Promise<store.PayoutRow> {
  const [moved] = await movePayouts(deps, tx, [{ organizationId, id, from: status, at: deps.now(), ...change }])
  return moved!
}

async function record(
  deps: Deps,
  tx: Tx,
  actor: Actor,
  action: AuditAction,
  before: store.PayoutRow,
  after: store.PayoutRow,
): Promise<void> {
  const { organizationId, id } = after
  const changes = {
    status: { from: before.status, to: after.status },
    ...(after.failureReason !== null && { failureReason: { from: null, to: after.failureReason } }),
  }
  await recordAct(deps, tx, { organizationId, actor, action, resourceType: 'payout', resourceId: id, changes })
}
