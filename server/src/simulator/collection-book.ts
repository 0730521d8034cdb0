import type { Book } from './book.ts'
import type { Announcer } from './notices.ts'

export type Collection = {
  orderId: string
  reference: string
  noticeUrl: string
  kind: string
  amount: number
  currency: string
  payee: string
  description: string | null
  returnUrl: string | null
  step: object | null
  status: 'waiting' | 'accepted' | 'received' | 'declined' | 'rejected' | 'voided'
  reason: string | null
  received: number | null
  /** What the provider calls the money that came. */
  receivedReference: string | null
  isSettled: boolean
  /** What was accepted has come to its end by now. */
  isFinished: boolean
}

const columns = `
  order_id as "orderId", reference, notice_url as "noticeUrl", kind, amount::float8 as amount, currency, payee, description,
  return_url as "returnUrl", step, status, reason, received::float8 as received,
  received_reference as "receivedReference", is_settled as "isSettled",
  coalesce(finishes_at <= clock_timestamp(), false) as "isFinished"`

/** How long the banks behind the provider take between accepting and receiving. */
const FINISH_MS = 700
const unitOf: Readonly<Record<string, number>> = { UGX: 1, RWF: 1, XOF: 1, XAF: 1 }

/** Amounts that end so are accepted and then rejected: .01, or 1 in a currency without decimals. */
function isMagic({ amount, currency }: Collection): boolean {
  const unit = unitOf[currency]
  return unit ? amount % 10 === 1 : Math.round(amount * 100) % 100 === 1
}

/** What the provider knows of collections, and the ways they go on. */
export function collectionBook(book: Book, announcer: Announcer) {
  type Query = Book['query']

  async function find(by: 'order_id' | 'reference', value: string, query: Query = book.query) {
    const [found] = await query<Collection>(`select ${columns} from simulator.collections where ${by} = $1`, [value])
    return found && current(found)
  }

  async function lock(orderId: string, query: Query): Promise<Collection | undefined> {
    const [found] = await query<Collection>(
      `select ${columns} from simulator.collections where order_id = $1 for update`,
      [orderId],
    )
    return found && current(found)
  }

  async function write(collection: Collection, query: Query, finishMs?: number): Promise<void> {
    const { orderId, status, reason, received, receivedReference, isSettled } = collection
    await query(
      `update simulator.collections set status = $2, reason = $3, received = $4, is_settled = $5, received_reference = $7,
              finishes_at = case when $6::double precision is null then finishes_at
                                 else clock_timestamp() + make_interval(secs => $6::double precision / 1000) end
        where order_id = $1`,
      [orderId, status, reason, received, isSettled, finishMs ?? null, receivedReference],
    )
  }

  function tell(collection: Collection, event: string, query: Query, more: object = {}, afterMs = 0): Promise<void> {
    const { orderId, reference, noticeUrl } = collection
    return announcer.announce(
      noticeUrl,
      `collection.${event}`,
      { orderId, railReference: reference, ...more },
      { query, afterMs },
    )
  }

  /** The payer approved: accepted at once, received a moment later, or rejected where the amount is a magic one. */
  async function approve(collection: Collection, query: Query): Promise<void> {
    await write({ ...collection, status: 'accepted' }, query, FINISH_MS)
    await tell(collection, 'accepted', query)
    const amount = { value: collection.amount, currency: collection.currency }
    if (isMagic(collection)) await tell(collection, 'rejected', query, { reason: 'declined_by_provider' }, FINISH_MS)
    else await tell(collection, 'received', query, { amount }, FINISH_MS)
  }

  async function decline(collection: Collection, reason: string, query: Query): Promise<void> {
    await write({ ...collection, status: 'declined', reason }, query)
    await tell(collection, 'declined', query, { reason })
  }

  return { find, lock, write, tell, approve, decline, isMagic, transaction: book.transaction, query: book.query }
}

export type CollectionBook = ReturnType<typeof collectionBook>

/** As it stands now: what was accepted comes to its end by itself. */
function current(collection: Collection): Collection {
  if (collection.status !== 'accepted' || !collection.isFinished) return collection
  return isMagic(collection)
    ? { ...collection, status: 'rejected', reason: 'declined_by_provider' }
    : { ...collection, status: 'received', received: collection.amount }
}
