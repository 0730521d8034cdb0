/**
 * Numbered places where a process can be made to die as if the power had failed, so that tests can show what is left
 * behind. Each is passed through `deps.faultPoint`; KOLO_FAULT_POINT names the one to die at, and is refused in
 * production.
 */
export const faultPoints = [
  /** The API: effect and stored answer are committed, the caller not told. */
  'answer.committed',
  /** The worker: notices are applied and committed, nothing noted in the process. */
  'notices.committed',
  /** The worker: credits are written, no money has moved. */
  'credits.written',
  /** The worker: credits, events and money are written, nothing committed. */
  'credits.posted',
  /** The API: a virtual account is on order, the provider has not heard of it. */
  'virtual_account.ordered',
  /** The API: the provider has opened the account, nothing of it is written. */
  'virtual_account.opened_at_provider',
  /** The API: nothing but the transfer's own row is written. */
  'transfer.created',
  /** The API: everything is written, nothing committed. */
  'transfer.departed',
  /** The API: committed, unless an Idempotency-Key holds the transaction open for the answer. */
  'transfer.departure_committed',
  /** The worker: the transfers are locked. */
  'transfer.delivery_locked',
  /** The worker: statuses, events and the receivers' rows are written, no money has moved. */
  'transfer.delivery_announced',
  /** The worker: everything is written, nothing committed. */
  'transfer.delivered',
  /** The worker: committed, nothing noted in the process. */
  'transfer.delivery_committed',
  /** The API: the payout's row and history are written, nothing announced, nothing held. */
  'payout.created',
  /** The API: everything is written, nothing committed. */
  'payout.held',
  /** The API: committed, unless an Idempotency-Key holds the transaction open for the answer. */
  'payout.creation_committed',
  /** The worker: payouts to send are locked. */
  'payout.claimed',
  /** Statuses, events and history are written, no money has moved. */
  'payout.announced',
  /** The worker: processing and the order id are committed, the rail is not called. */
  'payout.processing_committed',
  /** The worker: the rail has answered, nothing is written down. */
  'payout.answered',
  /** The worker: what the answer means is written, nothing committed. */
  'payout.recorded',
  /** The worker: committed, nothing noted in the process. */
  'payout.record_committed',
] as const

export type FaultPoint = (typeof faultPoints)[number]

/** What a place calls as it is passed. Without a setting it does nothing. */
export function faultPointOf(fatal: FaultPoint | undefined): (point: FaultPoint) => void {
  return (point) => {
    if (point === fatal) process.kill(process.pid, 'SIGKILL')
  }
}
