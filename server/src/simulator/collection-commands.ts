import type { FastifyInstance } from 'fastify'
import type { Collection, CollectionBook } from './collection-book.ts'

type Command = {
  command: 'authorise' | 'initiate' | 'execute' | 'settle' | 'fail'
  amount: { value: number; currency: string }
  /** Another transfer than the first; the first where undefined. */
  transactionReference?: string | null
  noticeUrl: string
}

/** The moment between the notices of one command, so that they come in order. */
const NEXT_MS = 300

/** What a developer tells the simulated payer and its bank to do, whatever was done before. */
export function addCommands(api: FastifyInstance, collections: CollectionBook): void {
  api.post<{ Params: { orderId: string }; Body: Command }>(
    '/collections/:orderId/commands',
    async ({ params: { orderId }, body }) => {
      await collections.query(
        `insert into simulator.collections (order_id, reference, notice_url, kind, amount, currency, payee, status)
         values ($1, $2, $3, 'none', $4, $5, '', 'waiting') on conflict (order_id) do nothing`,
        [orderId, `COL-${orderId}`, body.noticeUrl, body.amount.value, body.amount.currency],
      )
      await collections.transaction(async (query) => {
        const found = await collections.lock(orderId, query)
        if (found) await obey(collections, { ...found, noticeUrl: body.noticeUrl }, body, query)
      })
      return { taken: true }
    },
  )
}

type Query = CollectionBook['query']

async function obey(collections: CollectionBook, found: Collection, order: Command, query: Query): Promise<void> {
  const isMagic = collections.isMagic({ ...found, amount: order.amount.value, currency: order.amount.currency })
  switch (order.command) {
    case 'authorise':
      return collections.tell(found, 'authorising', query)
    case 'initiate':
      await collections.write({ ...found, status: beyond(found, 'accepted') }, query)
      await collections.tell(found, 'accepted', query)
      return isMagic ? reject(collections, found, query, NEXT_MS) : undefined
    case 'execute':
      if (!isMagic) return receive(collections, found, order, query)
      await collections.tell(found, 'accepted', query)
      return reject(collections, found, query, NEXT_MS)
    case 'settle':
      await collections.write({ ...found, isSettled: true }, query)
      return collections.tell(found, 'settled', query)
    case 'fail':
      return reject(collections, found, query, 0)
  }
}

async function receive(
  collections: CollectionBook,
  found: Collection,
  { amount, transactionReference }: Command,
  query: Query,
): Promise<void> {
  if (found.status !== 'received') {
    const receivedReference = transactionReference ?? null
    await collections.write({ ...found, status: 'received', received: amount.value, receivedReference }, query)
  }
  // Told again, it is the same money with the same name, unless it is given another one.
  const value = transactionReference || found.received === null ? amount.value : found.received
  const reference = transactionReference ?? found.receivedReference ?? found.reference
  await collections.tell({ ...found, reference }, 'received', query, { amount: { ...amount, value } })
}

async function reject(collections: CollectionBook, found: Collection, query: Query, afterMs: number): Promise<void> {
  const reason = 'declined_by_provider'
  await collections.write({ ...found, status: beyond(found, 'rejected'), reason }, query)
  await collections.tell(found, 'rejected', query, { reason }, afterMs)
}

/** Money that came stays: nothing that is told later takes it back. */
function beyond({ status }: Collection, next: 'accepted' | 'rejected'): Collection['status'] {
  return status === 'received' ? status : next
}
