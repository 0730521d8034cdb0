import { randomUUID } from 'node:crypto'
import { post, type Posting } from '../server/src/ledger/post.ts'
import { countLines } from '../server/src/ledger/statement.ts'
import { minor } from '../server/src/money/money.ts'
import { createOrganization } from '../server/src/organizations/operations.ts'
import { listEntries } from '../server/src/wallets/operations.ts'
import type { Core } from '../server/src/service.ts'
import type { BenchContext } from './context.ts'

const SECONDS = 4
const ROUNDS = 2
/** Postings of one batch. Two of their lines each: a gross amount in, a fee out. */
const BATCHES = [1, 50, 200, 500] as const
const CLIENTS = 4
const COLD_WALLETS = 50
const PAGE = 100

/** Postings a second on one hot wallet and over 50 wallets, and what a deep page of a statement costs. */
export async function run(context: BenchContext): Promise<void> {
  const core = await context.core()
  const organizations: string[] = []
  for (let made = 0; made < COLD_WALLETS; made += 1) {
    organizations.push((await createOrganization(core.deps, `Bench ${made}`)).organizationId)
  }
  const [hot = ''] = organizations
  const rates = new Map<string, number[]>()
  const measure = async (name: string, work: () => Promise<number>) => {
    const rate = await context.perSecond(SECONDS, CLIENTS, work)
    rates.set(name, [...(rates.get(name) ?? []), rate])
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    await context.baseline()
    for (const size of BATCHES) {
      await measure(`hot, batches of ${size}`, () => postBatch(core, [hot], size))
      await measure(`50 wallets, batches of ${size}`, () => postBatch(core, organizations, size))
    }
  }
  await context.baseline()
  for (const [name, found] of rates) {
    const value = found.reduce((sum, rate) => sum + rate, 0) / found.length
    context.figure({ name, value, unit: 'lines/s', perBaseline: true })
  }
  setBars(context)
  await measurePages(context, core, hot)
}

function setBars(context: BenchContext): void {
  for (const size of BATCHES.filter((batch) => batch >= 200)) {
    context.bar(`batches of ${size} move at least 3 lines per baseline transaction on one hot wallet`, (ratioOf) => {
      const ratio = ratioOf(`hot, batches of ${size}`)
      return { isMet: ratio >= 3, says: `${ratio.toFixed(2)}, the goal is 4` }
    })
    context.bar(`the hot wallet is at least 0.9 as fast as 50 wallets in batches of ${size}`, (ratioOf) => {
      const ratio = ratioOf(`hot, batches of ${size}`) / ratioOf(`50 wallets, batches of ${size}`)
      return { isMet: ratio >= 0.9, says: ratio.toFixed(2) }
    })
  }
}

/** One batch: each posting credits the wallet and withholds a fee, as a virtual-account credit does. */
async function postBatch({ db, deps }: Core, organizations: readonly string[], size: number): Promise<number> {
  const at = deps.now()
  const first = Math.floor(Math.random() * organizations.length)
  const postings = Array.from({ length: size }, (_, index): Posting => {
    const id = randomUUID()
    return {
      organizationId: organizations[(first + index) % organizations.length]!,
      key: `credit:${id}`,
      resourceType: 'virtual_account_credit',
      resourceId: id,
      reference: `providerB:${id}`,
      at,
      lines: [
        {
          currency: 'NGN',
          debit: 'outside',
          credit: 'available',
          amount: minor(10_000n),
          kind: 'virtual_account_credit',
        },
        { currency: 'NGN', debit: 'available', credit: 'fees', amount: minor(100n), kind: 'virtual_account_fee' },
      ],
    }
  })
  await db.transaction((tx) => post(tx, postings))
  return size * 2
}

async function measurePages(context: BenchContext, core: Core, organizationId: string): Promise<void> {
  const wanted = 10_000 * PAGE
  while ((await linesOf(core, organizationId)) < wanted) await postBatch(core, [organizationId], 500)
  const read = (cursor?: string) =>
    listEntries(core.deps, organizationId, 'NGN', { limit: PAGE, ...(cursor !== undefined && { cursor }) })
  const total = await linesOf(core, organizationId)
  const deep = Buffer.from(`line:${total - 9_999 * PAGE}`).toString('base64url')
  const timed = async (cursor: string | undefined) => {
    const times: number[] = []
    for (let tries = 0; tries < 300; tries += 1) {
      const startedAt = performance.now()
      await read(cursor)
      times.push(performance.now() - startedAt)
    }
    return times.toSorted((a, b) => a - b)[times.length >> 1]!
  }
  const newest = Buffer.from(`line:${total}`).toString('base64url')
  const [first, tenThousandth] = [await timed(newest), await timed(deep)]
  context.figure({ name: 'statement, page 1 by cursor', value: first, unit: 'ms' })
  context.figure({
    name: 'statement, page 10,000 by cursor',
    value: tenThousandth,
    unit: 'ms',
    ratio: tenThousandth / first,
    to: 'page 1',
  })
  context.bar('page 10,000 of a statement by cursor costs at most twice page 1', (ratioOf) => {
    const ratio = ratioOf('statement, page 10,000 by cursor')
    return { isMet: ratio <= 2, says: ratio.toFixed(2) }
  })
}

async function linesOf({ db }: Core, organizationId: string): Promise<number> {
  return Number(await countLines(db, { organizationId, currency: 'NGN', kind: 'available' }))
}
