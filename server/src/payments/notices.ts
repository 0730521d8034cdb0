import type { NoticeHandler } from '../rails/inbox/operations.ts'
import { confirmReturns } from '../review-items/returns.ts'
import type { Fact } from './decide.ts'
import { applyFacts } from './facts.ts'

/** Applies what rails tell of collections: to the payments they were made for, or to money on its way back. */
export const collectionNotices: NoticeHandler<'collection'> = async (deps, tx, notices) => {
  const returned = notices.filter(({ notice }) => notice.state === 'returned')
  const others = notices.filter(({ notice }) => notice.state !== 'returned')
  const owners = await applyFacts(
    deps,
    tx,
    others.map(({ rail, notice }): Fact => {
      const { orderId, state, railReference, amount, reason } = notice
      return { rail, orderId, state: state as Fact['state'], railReference, amount, reason }
    }),
  )
  const backs = await confirmReturns(
    deps,
    tx,
    returned.map(({ rail, notice }) => ({ rail, returnReference: notice.railReference })),
  )
  return [
    ...others.filter((_, index) => owners[index] === null),
    ...returned.filter((_, index) => backs[index] === null),
  ]
}
