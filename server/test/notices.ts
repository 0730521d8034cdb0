import { createHmac } from 'node:crypto'
import type { InjectOptions } from 'fastify'
import { sharedSecret } from '../src/rails/sandbox/connection.ts'
import type { TestService } from './service.ts'

/** What the provider would send: signed, unless the test says otherwise. */
export function sendNotice(
  { app, deps }: TestService,
  rail: string,
  body: string | Buffer | object,
  { secret = sharedSecret(deps.secrets), headers = {} }: { secret?: string; headers?: Record<string, string> } = {},
) {
  const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const timestamp = '1700000000'
  const signature = createHmac('sha256', secret).update(`${timestamp}.`).update(payload).digest('hex')
  const options: InjectOptions = {
    method: 'POST',
    url: `/rails/${rail}/notices`,
    payload,
    headers: {
      'content-type': 'application/json',
      'x-provider-timestamp': timestamp,
      'x-provider-signature': signature,
      ...headers,
    },
  }
  return app.fastify.inject(options)
}

/** A notice of a credit, as the sandbox provider writes it. */
export function creditNotice(accountNumber: string, transactionReference: string, value = 100, more: object = {}) {
  return {
    id: `notice-${transactionReference}`,
    event: 'virtual_account.credited',
    accountNumber,
    transactionReference,
    amount: { value, currency: 'NGN' },
    ...more,
  }
}
