import type { Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import * as store from './store.ts'

export type NewReviewItem = store.NewReviewItem

/** Puts something before a person. Money it is about stands in suspense by the same transaction. */
export async function openReviewItems(tx: Tx, items: readonly NewReviewItem[]): Promise<void> {
  if (items.length > 0) await store.insertItems(tx, items)
}

/** The rail has spoken after all: nobody needs to decide about its silence any more. */
export async function closeAnswered(
  deps: Deps,
  tx: Tx,
  resources: readonly { organizationId: string; id: string }[],
): Promise<void> {
  if (resources.length > 0) await store.closeUnanswered(tx, resources, 'The provider has answered.', deps.now())
}
