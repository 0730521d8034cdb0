import { randomBytes, randomInt } from 'node:crypto'
import { collectionBook, type Collection, type CollectionBook } from './collection-book.ts'
import { addCommands } from './collection-commands.ts'
import { addPayerPages } from './payer-pages.ts'
import type { Part } from './part.ts'

type Order = {
  orderId: string
  kind: string
  amount: { value: number; currency: string }
  payee: string
  description: string | null
  payer: { phone: string; operator: string } | null
  returnUrl: string
  noticeUrl: string
}

/** How long account details stand. */
const TRANSFER_SECONDS = 24 * 60 * 60
/** How long the simulated payer looks at the phone before approving. */
const PROMPT_MS = 2_500
const PROMPTS_AT_ONCE = 100
/** How often the book is asked whether a payer answers. */
const PROMPT_POLL_MS = 250
/** How long money takes on its way back. */
const RETURN_MS = 300
/** A phone that ends so declines. */
const DECLINING_PHONE = '000'

/** Collects money from payers: by account details, at its own pages, by a prompt on a phone. */
export function addCollections(part: Part): void {
  const collections = collectionBook(part.book, part.announcer)
  const { api, publicUrl } = part

  api.post<{ Body: Order }>('/collections', async ({ body }, reply) => {
    const found = (await collections.find('order_id', body.orderId)) ?? (await insert(collections, body, publicUrl()))
    if (!found || found.status === 'voided') return reply.code(422).send({ reason: 'voided' })
    if (body.payer) await prompt(collections, body.orderId, body.payer.phone)
    return { railReference: found.reference, step: found.step }
  })

  api.get<{ Params: { orderId: string } }>('/collections/:orderId', async ({ params }) =>
    stateOf(await collections.find('order_id', params.orderId)),
  )

  api.post<{ Params: { orderId: string } }>('/collections/:orderId/void', async ({ params: { orderId } }) =>
    collections.transaction(async (query) => {
      // Ended before it arrived: it is not taken any more when it does.
      await query(
        `insert into simulator.collections (order_id, reference, notice_url, kind, amount, currency, payee, status)
         values ($1, $2, '', 'none', 0, '', '', 'voided') on conflict (order_id) do nothing`,
        [orderId, newReference()],
      )
      const found = await collections.lock(orderId, query)
      if (found?.status !== 'waiting') return stateOf(found)
      await collections.write({ ...found, status: 'voided' }, query)
      return { state: 'voided' }
    }),
  )

  api.post<{ Params: { orderId: string }; Body: { returnId: string; amount: { value: number } } }>(
    '/collections/:orderId/returns',
    async ({ params: { orderId }, body }, reply) =>
      giveBack(collections, orderId, body.returnId, body.amount.value, reply),
  )

  addCommands(api, collections)
  addPayerPages(part.pages, collections)
  part.every(PROMPT_POLL_MS, () => answerPrompts(collections))
}

async function giveBack(
  collections: CollectionBook,
  orderId: string,
  returnId: string,
  amount: number,
  reply: { code(status: number): { send(body: object): unknown } },
) {
  const found = await collections.find('order_id', orderId)
  if (!found) return reply.code(404).send({ reason: 'not_found' })
  const reference = `RET-${returnId}`
  const [made] = await collections.query<{ at: Date; isNew: boolean }>(
    `insert into simulator.collection_returns as r (return_id, order_id, amount, at) values ($1, $2, $3, clock_timestamp())
     on conflict (return_id) do update set order_id = r.order_id returning at, xmax = 0 as "isNew"`,
    [returnId, orderId, amount],
  )
  // First it is on its way; asked again it has arrived, and a notice says so meanwhile.
  if (!made?.isNew) return { railReference: reference, returnedAt: made?.at.toISOString() ?? null }
  await collections.tell({ ...found, reference }, 'returned', collections.query, {}, RETURN_MS)
  return { railReference: reference, returnedAt: null }
}

async function insert(collections: CollectionBook, order: Order, origin: string): Promise<Collection | undefined> {
  const reference = newReference()
  const { orderId, noticeUrl, kind, amount, payee, description, returnUrl, payer } = order
  await collections.query(
    `insert into simulator.collections (order_id, reference, notice_url, kind, amount, currency, payee, description, return_url, step, status)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'waiting') on conflict (order_id) do nothing`,
    [
      orderId,
      reference,
      noticeUrl,
      kind,
      amount.value,
      amount.currency,
      payee,
      description,
      returnUrl,
      JSON.stringify(stepOf(kind, reference, payee, payer?.phone, origin)),
    ],
  )
  return collections.find('order_id', orderId)
}

function stepOf(kind: string, reference: string, payee: string, phone: string | undefined, origin: string): object {
  if (kind === 'mobile_money') return { kind: 'prompt', phone }
  if (kind !== 'bank_transfer') return { kind: 'redirect', url: `${origin}/payer/${reference}` }
  return {
    kind: 'transfer',
    account: {
      bankCode: '999',
      bankName: 'Sandbox Bank',
      accountNumber: String(randomInt(1_000_000_000, 9_999_999_999)),
      accountName: payee,
    },
    validForSeconds: TRANSFER_SECONDS,
  }
}

/** The payer is asked once, however often the order comes. */
async function prompt(collections: CollectionBook, orderId: string, phone: string): Promise<void> {
  await collections.query(
    `insert into simulator.prompts (order_id, phone, due_at)
     values ($1, $2, clock_timestamp() + make_interval(secs => $3::double precision / 1000)) on conflict (order_id) do nothing`,
    [orderId, phone, PROMPT_MS],
  )
}

/** Lets payers whose moment has come answer; the moment is in the book, so that it outlives a restart. */
async function answerPrompts(collections: CollectionBook): Promise<void> {
  await collections.transaction(async (query) => {
    const due = await query<{ orderId: string; phone: string }>(
      `delete from simulator.prompts where order_id = any (array(
         select order_id from simulator.prompts where due_at <= clock_timestamp() order by due_at limit $1 for update skip locked))
       returning order_id as "orderId", phone`,
      [PROMPTS_AT_ONCE],
    )
    for (const { orderId, phone } of due) {
      const found = await collections.lock(orderId, query)
      if (found?.status !== 'waiting') continue
      if (phone.endsWith(DECLINING_PHONE)) await collections.decline(found, 'declined_by_payer', query)
      else await collections.approve(found, query)
    }
  })
}

/** Where a collection stands, in the provider's words. */
function stateOf(found: Collection | undefined): object {
  if (!found) return { state: 'not_found' }
  const { status, reason, received, currency, isSettled, reference, receivedReference } = found
  if (status !== 'received') return { state: status, reason }
  return {
    state: status,
    received: { value: received, currency },
    isSettled,
    railReference: receivedReference ?? reference,
  }
}

function newReference(): string {
  return `COL-${randomBytes(12).toString('hex')}`
}
