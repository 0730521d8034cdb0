import type { Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import type { PaymentKey } from './store.ts'

/** More payments than this changing at once are hinted at by one name that everybody listens to. */
const MOST_NAMED = 20
const MANY = 'payment:*'

/** Hints, once this has committed, that payments have changed: to the pages that show them, in every process. */
export function hintChanges(tx: Tx, keys: readonly PaymentKey[]): void {
  if (keys.length > MOST_NAMED) return tx.wake(MANY)
  for (const { id } of keys) tx.wake(nameOf(id))
}

/** Calls back whenever the payment may have changed; answers how to stop. A hint: what it is now is read. */
export function onPaymentChange(
  deps: Deps,
  _organizationId: string,
  paymentId: string,
  callback: () => void,
): () => void {
  const stops = [nameOf(paymentId), MANY].map((name) => deps.onWake(name, callback))
  return () => {
    for (const stop of stops) stop()
  }
}

function nameOf(paymentId: string): string {
  return `payment:${paymentId}`
}
