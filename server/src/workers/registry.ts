import { auditWorker } from '../audit/worker.ts'
import { forgetSignIns } from '../auth/operations.ts'
import { collectionNotices } from '../payments/notices.ts'
import { attemptWorker, expiryWorker, questionWorker, settlementWorker } from '../payments/worker.ts'
import type { NoticeHandlers } from '../rails/inbox/operations.ts'
import { noticesWorker } from '../rails/inbox/worker.ts'
import { forgetEvents } from '../events/operations.ts'
import { forgetAnswers } from '../http/idempotency.ts'
import { forgetQuotes } from '../rates/operations.ts'
import { applyPayoutNotices } from '../payouts/notices.ts'
import { payoutDecisionsWorker, payoutsWorker } from '../payouts/worker.ts'
import { matchLateReturns } from '../review-items/operations.ts'
import { returnsWorker } from '../review-items/worker.ts'
import { transfersWorker } from '../transfers/worker.ts'
import { webhooksWorker } from '../webhooks/worker.ts'
import { applyCredits } from '../virtual-accounts/credits.ts'
import { matchLateCredits } from '../virtual-accounts/operations.ts'
import { creditQuestionsWorker } from '../virtual-accounts/worker.ts'
import { housekeepingWorker } from './housekeeping.ts'
import { sealsWorker } from './seals.ts'
import type { Worker } from './worker.ts'

/** What each kind of notice does to the books. */
const noticeHandlers: NoticeHandlers = {
  virtual_account_credit: applyCredits,
  collection: collectionNotices,
  payout: applyPayoutNotices,
}

/** Every worker of the service, by name. Moving the clock drives this list. */
export function createWorkers(): readonly Worker[] {
  return [
    transfersWorker,
    sealsWorker(),
    auditWorker(),
    expiryWorker,
    settlementWorker,
    questionWorker,
    attemptWorker,
    returnsWorker,
    webhooksWorker(),
    payoutsWorker(),
    payoutDecisionsWorker,
    noticesWorker(noticeHandlers),
    creditQuestionsWorker(),
    housekeepingWorker([forgetEvents, forgetAnswers, forgetQuotes, forgetSignIns, matchLateCredits, matchLateReturns]),
  ]
}
