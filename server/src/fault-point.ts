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
  /** The API: a payment, its link and its event are written, nothing committed. */
  'payment.created',
  /** The API: an attempt and its order id are committed, the rail is not called. */
  'payment.ordered',
  /** The API: the rail has taken the order, nothing of its answer is written. */
  'payment.begun_at_rail',
  /** Statuses, events and history are written, no money has moved. */
  'payment.announced',
  /** The worker: what rails said is written with its money, nothing committed. */
  'payment.facts_applied',
  /** The worker: rails have answered questions, nothing is written down. */
  'payment.answered',
  /** The worker: what the answers mean is committed, nothing noted in the process. */
  'payment.answers_committed',
  /** The worker: payments to settle are locked. */
  'payment.settling',
  /** The worker: settlement is written with its money, nothing committed. */
  'payment.settled',
  /** The worker: settlement is committed, nothing noted in the process. */
  'payment.settlement_committed',
  /** The worker: rails have ended what payers began, nothing is written down. */
  'payment.ended_at_rail',
  /** The worker: what was paid in the last moment is committed, nothing has expired. */
  'payment.endings_committed',
  /** The worker: expiry is written, nothing committed. */
  'payment.expired',
  /** The worker: expiry is committed, nothing noted in the process. */
  'payment.expiry_committed',
  /** The worker: rails were told to send money back, nothing is written down. */
  'return.sent',
  /** The worker: what became of the returns is written, nothing committed. */
  'return.recorded',
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
