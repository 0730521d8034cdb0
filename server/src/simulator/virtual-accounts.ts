import { randomInt, randomUUID } from 'node:crypto'
import type { Book } from './book.ts'
import type { Part } from './part.ts'

type Bank = { readonly bankCode: string; readonly bankName: string }

/** The banks each provider opens accounts at. */
const banks: Readonly<Record<string, readonly Bank[]>> = {
  providerA: [
    { bankCode: '035', bankName: 'Wema Bank' },
    { bankCode: '50515', bankName: 'Moniepoint Microfinance Bank' },
    { bankCode: '070', bankName: 'Fidelity Bank' },
  ],
  providerB: [{ bankCode: '232', bankName: 'Sterling Bank' }],
}

type Account = Bank & { readonly accountNumber: string; readonly accountName: string }
type Opening = { provider: string; orderId: string; accountReference: string; accountName: string; noticeUrl: string }
type Credit = {
  provider: string
  amount: { value: number; currency: string }
  payerName?: string | null
  payerEmail?: string | null
  transactionReference?: string | null
  noticeUrl: string
}

/** Opens accounts, and takes what is paid into them, or into numbers nobody has. */
export function addVirtualAccounts({ api, book, announcer }: Part): void {
  api.post<{ Body: Opening }>('/virtual-accounts', async ({ body }, reply) => {
    const wanted = banks[body.provider]
    if (!wanted) return reply.code(422).send({ reason: 'unknown_provider' })
    return { accounts: await open(book, body, wanted) }
  })

  api.post<{ Params: { accountNumber: string }; Body: Credit }>(
    '/virtual-accounts/:accountNumber/credits',
    async ({ params: { accountNumber }, body }, reply) => {
      const { provider, noticeUrl } = body
      const transactionReference = body.transactionReference ?? `TRX-${randomUUID()}`
      const taken = await book.transaction(async (query) => {
        // One after the other: nobody who asks what came since may pass by one that is still being written.
        await query('select pg_advisory_xact_lock(hashtextextended($1, 1))', [`credits/${provider}`])
        const [credit] = await query<{ accountNumber: string; facts: object }>(
          `insert into simulator.virtual_account_credits (provider, transaction_reference, account_number, amount, currency, facts)
           values ($1, $2, $3, $4, $5, $6)
           on conflict (provider, transaction_reference) do update set facts = simulator.virtual_account_credits.facts
           returning account_number as "accountNumber", facts`,
          [
            provider,
            transactionReference,
            accountNumber,
            body.amount.value,
            body.amount.currency,
            JSON.stringify(factsOf(accountNumber, transactionReference, body)),
          ],
        )
        if (credit?.accountNumber !== accountNumber) return false
        // Named again, it is the same transfer, told again: providers do that.
        await announcer.announce(noticeUrl, 'virtual_account.credited', credit.facts, { query })
        return true
      })
      if (!taken) return reply.code(409).send({ reason: 'transaction_reference_taken' })
      return { transactionReference }
    },
  )

  api.get<{ Querystring: { provider: string; after?: string; most: string } }>(
    '/virtual-accounts/credits',
    async ({ query: { provider, after = '0', most } }) => {
      const found = await book.query<{ position: string; id: string; facts: object }>(
        `select c.position::text as position, c.transaction_reference as id, c.facts from simulator.virtual_account_credits c
          where c.provider = $1 and c.position > $2 order by c.position limit $3`,
        [provider, after, Number(most) + 1],
      )
      const page = found.slice(0, Number(most))
      return {
        credits: page.map(({ id, facts }) => ({ id, event: 'virtual_account.credited', ...facts })),
        after: page.at(-1)?.position ?? null,
        hasMore: found.length > page.length,
      }
    },
  )

  api.post<{ Body: { provider: string; returnId: string; transactionReference: string } }>(
    '/virtual-accounts/returns',
    async ({ body: { provider, returnId, transactionReference } }, reply) => {
      const [returned] = await book.query<{ returnId: string; returnedAt: Date }>(
        `update simulator.virtual_account_credits
            set return_id = coalesce(return_id, $3), returned_at = coalesce(returned_at, clock_timestamp())
          where provider = $1 and transaction_reference = $2
          returning return_id as "returnId", returned_at as "returnedAt"`,
        [provider, transactionReference, returnId],
      )
      if (!returned) return reply.code(404).send({ reason: 'not_found' })
      if (returned.returnId !== returnId) return reply.code(409).send({ reason: 'already_returned' })
      return { reference: `RET-${transactionReference}`, returnedAt: returned.returnedAt.toISOString() }
    },
  )
}

function factsOf(accountNumber: string, transactionReference: string, body: Credit): object {
  const { amount, payerName, payerEmail } = body
  return {
    accountNumber,
    transactionReference,
    amount,
    ...(payerName && { payerName }),
    ...(payerEmail && { payerEmail }),
  }
}

/** The same order twice is the same account. */
async function open(book: Book, order: Opening, wanted: readonly Bank[]): Promise<Account[]> {
  return book.transaction(async (query) => {
    const { provider, orderId, accountReference, accountName, noticeUrl } = order
    const [made] = await query<{ orderId: string }>(
      `insert into simulator.virtual_account_orders (order_id, provider, account_reference, account_name, notice_url)
       values ($1, $2, $3, $4, $5) on conflict (order_id) do nothing returning order_id as "orderId"`,
      [orderId, provider, accountReference, accountName, noticeUrl],
    )
    if (made) for (const bank of wanted) await addNumber(query, orderId, bank, accountName)
    return query<Account>(
      `select bank_code as "bankCode", bank_name as "bankName", account_number as "accountNumber", account_name as "accountName"
         from simulator.virtual_account_numbers where order_id = $1 order by position`,
      [orderId],
    )
  })
}

async function addNumber(query: Book['query'], orderId: string, bank: Bank, accountName: string): Promise<void> {
  for (;;) {
    const accountNumber = `9${String(randomInt(1_000_000_000)).padStart(9, '0')}`
    const added = await query(
      `insert into simulator.virtual_account_numbers (account_number, order_id, bank_code, bank_name, account_name)
       values ($1, $2, $3, $4, $5) on conflict (account_number) do nothing returning account_number`,
      [accountNumber, orderId, bank.bankCode, bank.bankName, accountName],
    )
    if (added.length === 1) return
  }
}
