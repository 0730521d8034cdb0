import type { Money } from '../money/money.ts'
import type { ReviewKind } from '../review-items/kinds.ts'
import type { AttemptChange, AttemptRow } from './attempt-store.ts'
import type { PaymentMove } from './move.ts'
import { failureReasonOf, isLive, isOpen, isPaid, MAX_DECLINES } from './states.ts'
import type { PaymentRow } from './store.ts'

/** Something a rail said about an order, in a notice or as an answer. */
export type Fact = {
  readonly rail: string
  readonly orderId: string
  readonly state: 'authorising' | 'accepted' | 'received' | 'settled' | 'declined' | 'rejected' | 'voided' | 'ended'
  readonly railReference: string | null
  readonly amount: Money | null
  readonly reason: string | null
}

/** What follows from a fact: a move, a change of the attempt, money and where it goes, settlement. Often nothing. */
export type Verdict = {
  readonly move?: Omit<PaymentMove, 'payment'>
  readonly attempt?: Partial<AttemptChange>
  /** Money came: into the pending balance, or into suspense for a person to decide about. */
  readonly money?: { readonly amount: Money; readonly goes: 'pending' | ReviewKind }
  readonly isSettled?: true
}

export type Circumstances = {
  readonly at: Date
  /** The same money was told of before. */
  readonly isKnownReceipt: boolean
  /** When a payment executed now will settle; null: the rail will say. */
  readonly settlesAt: Date | null
  readonly askAt: Date
}

/** What a fact does to a payment, locked, in the state it is in. The whole table of contract 5 that rails can cause. */
export function decide(payment: PaymentRow, attempt: AttemptRow, fact: Fact, now: Circumstances): Verdict {
  switch (fact.state) {
    case 'authorising':
      return authorised(payment, attempt)
    case 'accepted':
      return accepted(payment, attempt, now)
    case 'received':
      return received(payment, attempt, fact, now)
    case 'settled':
      return settled(payment, attempt)
    case 'declined':
      return declined(payment, attempt, fact)
    case 'rejected':
      return rejected(payment, attempt, fact)
    case 'voided':
      return voided(payment, attempt, fact)
    case 'ended':
      return ended(attempt)
  }
}

function authorised(payment: PaymentRow, attempt: AttemptRow): Verdict {
  const isAhead = payment.status === 'created' || payment.status === 'pending'
  return {
    ...(attempt.status === 'beginning' && { attempt: { status: 'waiting' } }),
    ...(isAhead && isLive(attempt.status) && { move: { to: 'authorising', changes: of(attempt) } }),
  }
}

function accepted(payment: PaymentRow, attempt: AttemptRow, { at, askAt }: Circumstances): Verdict {
  return {
    ...((attempt.status === 'beginning' || attempt.status === 'waiting') && {
      attempt: { status: 'accepted', voidAt: null },
    }),
    ...(isOpen(payment.status) && {
      move: { to: 'initiated', changes: { ...of(attempt), initiatedAt: at, askAt, askCount: 0 } },
    }),
  }
}

function received(payment: PaymentRow, attempt: AttemptRow, fact: Fact, now: Circumstances): Verdict {
  if (now.isKnownReceipt) return {}
  const asked: Money = { amount: payment.sourceAmount, currency: payment.sourceCurrency }
  const amount = fact.amount ?? asked
  const goes = destinationOf(payment, amount, asked)
  // An account that got the wrong amount still stands; whoever sends the right one has paid.
  const staysOpen = goes === 'wrong_amount' && attempt.methodType === 'bank_transfer'
  const settlesAt = attempt.isSettled ? now.at : now.settlesAt
  return {
    money: { amount, goes },
    ...(!staysOpen && { attempt: { status: 'received', voidAt: null } }),
    ...(goes === 'pending' && {
      move: {
        to: 'executed',
        changes: { ...of(attempt), executedAt: now.at, settlesAt, askAt: settlesAt ? null : now.askAt, askCount: 0 },
      },
    }),
  }
}

function destinationOf({ status }: PaymentRow, amount: Money, asked: Money): 'pending' | ReviewKind {
  if (isPaid(status)) return 'duplicate_payment'
  if (!isOpen(status) && status !== 'initiated') return 'late_payment'
  return amount.amount === asked.amount && amount.currency === asked.currency ? 'pending' : 'wrong_amount'
}

/** Said before receipt, it is kept until the money is there. */
function settled(payment: PaymentRow, attempt: AttemptRow): Verdict {
  const isDue = payment.status === 'executed' && payment.attemptId === attempt.id
  return { attempt: { isSettled: true }, ...(isDue && { isSettled: true }) }
}

function declined(payment: PaymentRow, attempt: AttemptRow, fact: Fact): Verdict {
  if (!isLive(attempt.status)) return {}
  const change = { status: 'declined', reason: fact.reason, voidAt: null } as const
  if (payment.attemptId !== attempt.id) return { attempt: change }
  // What was accepted and is declined after all cannot be chosen again: it has failed.
  if (payment.status === 'initiated') return rejected(payment, attempt, fact)
  if (payment.status !== 'authorising') return { attempt: change }
  const declineCount = payment.declineCount + 1
  return {
    attempt: change,
    move:
      declineCount >= MAX_DECLINES
        ? { to: 'failed', changes: { declineCount, failureReason: 'too_many_attempts' } }
        : { to: 'pending', changes: { declineCount } },
  }
}

function rejected(payment: PaymentRow, attempt: AttemptRow, fact: Fact): Verdict {
  const isCurrent = payment.attemptId === null || payment.attemptId === attempt.id
  const mayFail = isOpen(payment.status) || payment.status === 'initiated'
  const failureReason = failureReasonOf(fact.reason)
  return {
    ...(isLive(attempt.status) && { attempt: { status: 'rejected', reason: failureReason, voidAt: null } }),
    ...(isCurrent && mayFail && { move: { to: 'failed', changes: { ...of(attempt), failureReason, askAt: null } } }),
  }
}

/** Nothing will come of it any more: the payer may choose again. */
function voided(payment: PaymentRow, attempt: AttemptRow, { reason }: Fact): Verdict {
  const isFree = payment.status === 'authorising' && payment.attemptId === attempt.id
  return {
    attempt: { voidAt: null, ...(isLive(attempt.status) && { status: 'voided', reason }) },
    ...(isFree && { move: { to: 'pending' } }),
  }
}

/** Voided because the payment itself is about to end: nobody chooses again. */
function ended(attempt: AttemptRow): Verdict {
  return { attempt: { voidAt: null, ...(isLive(attempt.status) && { status: 'voided' }) } }
}

function of({ id, rail, methodId, methodType, methodName }: AttemptRow) {
  return { attemptId: id, rail, methodId, methodType, methodName }
}
