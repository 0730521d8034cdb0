import { Type, type Static } from 'typebox'
import {
  AmountOut,
  CurrencyCode,
  dataOf,
  Id,
  Instant,
  nullable,
  oneOf,
  pageOf,
  pageQuery,
  strict,
  Text,
} from '../http/schemas.ts'
import { reviewKinds, reviewStatuses } from './kinds.ts'

export const ReviewItem = Type.Object({
  id: Id,
  kind: oneOf(reviewKinds),
  status: oneOf(reviewStatuses),
  amount: AmountOut,
  currency: CurrencyCode,
  rail: Type.String(),
  railReference: nullable(Type.String()),
  resourceType: Type.String(),
  resourceId: Id,
  note: nullable(Type.String()),
  resolvedBy: nullable(Id),
  createdAt: Instant,
  resolvedAt: nullable(Instant),
})
export type ReviewItem = Static<typeof ReviewItem>
export const ReviewItemBody = dataOf(ReviewItem)
export const ReviewItemPage = pageOf('reviewItems', ReviewItem)
export const ReviewItemQuery = pageQuery({ status: Type.Optional(oneOf(reviewStatuses)) })
export type ReviewItemQuery = Static<typeof ReviewItemQuery>

export const Resolution = strict({ action: oneOf(['credit', 'return']), note: Text() })
export type Resolution = Static<typeof Resolution>
