import type { Deps } from '../deps.ts'
import { listSettledPayments } from '../payments/operations/read.ts'
import type { Payment } from '../payments/schema.ts'
import { csvLine } from './csv.ts'

const columns = {
  paymentId: ({ id }) => id,
  reference: ({ reference }) => reference,
  customerId: ({ customerId }) => customerId,
  description: ({ description }) => description,
  paymentMethod: ({ paymentMethod }) => paymentMethod?.name ?? null,
  sourceAmount: ({ sourceAmount }) => sourceAmount,
  sourceCurrency: ({ sourceCurrency }) => sourceCurrency,
  exchangeRate: ({ exchangeRate }) => exchangeRate,
  grossAmount: ({ targetAmount }) => targetAmount,
  feeAmount: ({ feeAmount }) => feeAmount,
  netAmount: ({ netAmount }) => netAmount,
  currency: ({ targetCurrency }) => targetCurrency,
  createdAt: ({ createdAt }) => createdAt,
  executedAt: (payment) => instantOf(payment, 'executed'),
  settledAt: (payment) => instantOf(payment, 'settled'),
} as const satisfies Record<string, (payment: Payment) => string | number | null>

/** So many payments are read at once: a settlement of any size is written without being held. */
const PAGE = 100

/** A settlement's payments as CSV, line by line, newest first. */
export async function* csvOfSettlement(deps: Deps, organizationId: string, id: string): AsyncGenerator<string> {
  yield csvLine(Object.keys(columns))
  let cursor: string | undefined
  do {
    const page = await listSettledPayments(deps, organizationId, id, { limit: PAGE, ...(cursor && { cursor }) })
    yield page.payments.map((payment) => csvLine(Object.values(columns).map((read) => read(payment)))).join('')
    cursor = page.pagination.nextCursor ?? undefined
  } while (cursor)
}

function instantOf({ statusHistory }: Payment, wanted: string): string | null {
  return statusHistory.find(({ status }) => status === wanted)?.at ?? null
}
