import { payoutBeginnings, payoutMoves } from '../payouts/states.ts'
import { paymentBeginnings, paymentMoves } from '../payments/states.ts'
import { transferBeginnings, transferMoves } from '../transfers/states.ts'

/** What the organization is told of a status: an event of this type, or nothing. */
export type Told = string

/** A resource with a status: where it may begin, where it may go from there, and what is said of it. */
export type Trail = {
  readonly resourceType: string
  /** The table, which has organization_id, id and status. */
  readonly table: string
  readonly beginnings: Readonly<Record<string, Told>>
  readonly moves: Readonly<Record<string, Readonly<Record<string, Told>>>>
}

/** A move nobody is told of. */
export const SILENT: Told = 'silent'

/** Every resource whose status leaves a history. The audit follows each of them. */
export const trails: readonly Trail[] = [
  { resourceType: 'transfer', table: 'transfers', beginnings: transferBeginnings, moves: transferMoves },
  { resourceType: 'payout', table: 'payouts', beginnings: payoutBeginnings, moves: payoutMoves },
  { resourceType: 'payment', table: 'payments', beginnings: paymentBeginnings, moves: paymentMoves },
]
