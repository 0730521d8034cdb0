import { createHmac, randomUUID } from 'node:crypto'
import { sharedService } from '../../../test/world.ts'
import { statement } from '../../db/sql.ts'
import { conform, type Sent, type Subject } from '../conformance.ts'
import type { Capability } from '../rail.ts'
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
  const connection: SandboxConnection = {
    ...sandboxConnection(deps.config, deps.db, deps.secrets),
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
    notices: {
      good: send(JSON.stringify(credit)),
      unknownWord: send(JSON.stringify({ ...credit, event: 'virtual_account.exploded' })),
      garbage: send('{"'),
    },
    identity: { matching: '12345678901', mismatching: '22222222220', unanswered: '22222222221' },
    virtualAccounts: {
      newOrderId: randomUUID,
      async countAccounts(orderId) {
        const count = statement<{ count: number }>(
          'select count(*)::integer as count from simulator.virtual_account_orders where order_id = $1',
        )
        return (await deps.db.one(count, [orderId])).count
      },
    },
  }
}
