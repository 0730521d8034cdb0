import type { Deps } from '../../deps.ts'
import { Refusal, refusals } from '../../errors.ts'
import type { Actor } from '../../http/authentication.ts'
import { present } from '../present.ts'
import type { BulkOutcome, BulkOutcomes, NewPayout } from '../schema.ts'
import type * as store from '../store.ts'
import { addInOrder } from './create.ts'

/** An item of a bulk: what was sent, or why it cannot even be read. */
export type BulkItem = { readonly reference: string | null; readonly wish: NewPayout | Refusal }

/** Makes all payouts that can be made, in their order, in one transaction: one lock, one posting, one announcement. */
export async function createPayouts(
  deps: Deps,
  organizationId: string,
  actor: Actor,
  items: readonly BulkItem[],
): Promise<BulkOutcomes> {
  const requests = items.flatMap(({ wish }) => (wish instanceof Refusal ? [] : [{ organizationId, actor, wish }]))
  const ends = await deps.db.transaction((tx) => addInOrder(deps, tx, requests, { isBulk: true }))
  let next = 0
  const outcomes = items.map(({ reference, wish }, index) =>
    outcomeOf(index, reference, wish instanceof Refusal ? wish : ends[next++]!),
  )
  const accepted = outcomes.filter(({ payout }) => payout !== null).length
  return { outcomes, accepted, refused: outcomes.length - accepted }
}

function outcomeOf(index: number, reference: string | null, result: store.PayoutRow | Refusal): BulkOutcome {
  if (!(result instanceof Refusal)) return { index, reference, payout: present(result), error: null }
  const { param, details } = result.extras
  const [, type] = refusals[result.code]
  return {
    index,
    reference,
    payout: null,
    error: {
      type,
      code: result.code,
      message: result.message,
      ...(param && { param }),
      ...(details && { details: [...details] }),
    },
  }
}
