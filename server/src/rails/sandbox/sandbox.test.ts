import { createHmac, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sharedService } from '../../../test/world.ts'
import { statement } from '../../db/sql.ts'
import { conform } from '../conformance.ts'
import type { Sent, Subject } from '../conformance-subject.ts'
import type { Capability, Destination } from '../rail.ts'
import type { Deps } from '../../deps.ts'
import { commandProvider, noticeUrlOf } from '../../sandbox/provider.ts'
import type { SandboxConnection } from './client.ts'
import { sandboxConnection } from './connection.ts'
import { sandboxRails } from './index.ts'

// An answer is waited for on any machine, however busy; silence only for a moment.
const PATIENT_MS = 60_000
const SILENCE_MS = 500

const has: Readonly<Record<string, readonly Capability[]>> = {
  providerA: ['virtualAccounts'],
  providerB: ['virtualAccounts'],
  sandbox: ['identity', 'collections', 'payouts', 'accounts', 'directory', 'partnerWallet'],
}
for (const [name, capabilities] of Object.entries(has)) conform(name, capabilities, () => subjectOf(name))

async function subjectOf(name: string): Promise<Subject> {
  const { deps } = await sharedService()
  let timeoutMs = PATIENT_MS
  let otherUrl: string | undefined
  const real = sandboxConnection(deps.config, deps.db, deps.secrets)
  const connection: SandboxConnection = {
    ...real,
    url: async () => otherUrl ?? real.url(),
    get timeoutMs() {
      return timeoutMs
    },
  }
  const rail = sandboxRails(connection).find((one) => one.name === name)!
  const send = (body: string): Sent => {
    const signature = createHmac('sha256', connection.secret).update(`1700000000.${body}`).digest('hex')
    return {
      headers: { 'x-provider-timestamp': '1700000000', 'x-provider-signature': signature },
      body: Buffer.from(body),
    }
  }
  const credit = {
    id: 'n1',
    event: 'virtual_account.credited',
    accountNumber: '9000000001',
    transactionReference: 't1',
    amount: { value: 12.5, currency: 'NGN' },
  }
  const behave = (slowMs: number) =>
    deps.db.transaction((tx) =>
      tx.many(
        statement(`insert into simulator.behaviour (capability, settings) values ('all', $1)
                   on conflict (capability) do update set settings = excluded.settings`),
        [JSON.stringify({ slowMs })],
      ),
    )
  return {
    rail,
    async whileSilent(work) {
      await behave(20 * SILENCE_MS)
      timeoutMs = SILENCE_MS
      try {
        return await work()
      } finally {
        timeoutMs = PATIENT_MS
        await behave(0)
      }
    },
    async whileGibbering(work) {
      otherUrl = await gibberer()
      try {
        return await work()
      } finally {
        otherUrl = undefined
      }
    },
    notices: {
      good: send(JSON.stringify(credit)),
      unknownWord: send(JSON.stringify({ ...credit, event: 'virtual_account.exploded' })),
      garbage: send('{"'),
    },
    identity: { matching: '12345678901', mismatching: '22222222220', unanswered: '22222222221' },
    virtualAccounts: {
      newOrderId: randomUUID,
      countAccounts: (orderId) => count('simulator.virtual_account_orders where order_id = $1', orderId),
      pay: (accountNumber) => payInto(deps, name, accountNumber),
    },
    payouts: {
      newOrderId: randomUUID,
      good: destination('0123456789'),
      closed: destination('0123456001'),
      countOrders: (orderId) => count('simulator.payout_orders where order_id = $1', orderId),
    },
    collections: {
      newOrderId: randomUUID,
      countAttempts: (orderId) => count('simulator.collections where order_id = $1', orderId),
      pay: (orderId) => pay(deps, orderId),
      countReturns: (returnId) => count('simulator.collection_returns where return_id = $1', returnId),
    },
  }

  async function count(rows: string, value: string): Promise<number> {
    const counted = statement<{ count: number }>(`select count(*)::integer as count from ${rows}`)
    return (await deps.db.one(counted, [value])).count
  }
}

function destination(accountNumber: string): Destination {
  return {
    accountType: 'bank_account',
    accountNumber,
    accountName: 'Ada Obi',
    bankCode: '058',
    institutionId: null,
    routingNumber: null,
    currency: 'NGN',
    country: 'NG',
  }
}

async function payInto(deps: Deps, provider: string, accountNumber: string): Promise<string> {
  const amount = { value: 12.5, currency: 'NGN' }
  const noticeUrl = await noticeUrlOf(deps, provider)
  const path = `/virtual-accounts/${accountNumber}/credits`
  const taken = await commandProvider<{ transactionReference: string }>(deps, path, { provider, amount, noticeUrl })
  return taken.transactionReference
}

/** The payer pays what the provider asks for. */
async function pay(deps: Deps, orderId: string): Promise<void> {
  const asked = statement<{ value: number; currency: string }>(
    'select amount::float8 as value, currency from simulator.collections where order_id = $1',
  )
  const amount = await deps.db.one(asked, [orderId])
  const noticeUrl = await noticeUrlOf(deps, 'sandbox')
  await commandProvider(deps, `/collections/${orderId}/commands`, { command: 'execute', amount, noticeUrl })
}

/** A provider that answers everything with 200, and nothing that anybody knows. */
let gibbering: Promise<string> | undefined
async function gibberer(): Promise<string> {
  gibbering ??= new Promise((resolve) => {
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({ state: 'exploded', railReference: 'x', step: { kind: 'dance' }, returnedAt: 'soon' }),
      )
    })
    server.unref()
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  })
  return gibbering
}
