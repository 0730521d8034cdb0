import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createService } from '../test/service.ts'
import { createWorld } from '../test/world.ts'
import { createLog } from './log.ts'

function written(write: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = []
  write(createLog('trace', { write: (line: string) => void lines.push(line) }))
  return lines.join('')
}

const secrets = {
  key: 'kolo_sk_local_JzrbJaT17SQlkrSdQamHwF134CZ6KyUd9e50540e',
  dashedKey: 'kolo_sk_live_-_rbJaT17SQlkrSdQamHwF134CZ6Ky-_9e50540e',
  signingSecret: 'whsec_4fzZ-8yR1c_k2q0Yv3mJ7xW9pL5nT6bQ',
  token: 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl',
  bearer: 'Bearer opaque-credential-1',
  bvn: '22123456789',
  accountNumber: '0123456789',
  phone: '+2348031234567',
  email: 'ada.obi+test@shop.example.com',
}

test('keys, tokens, BVNs, account numbers and addresses never reach a line, wherever they stand', () => {
  for (const [name, secret] of Object.entries(secrets)) {
    const text = written((log) => {
      log.info(`asked with ${secret}`)
      log.info({ [name]: secret, nested: { deeper: [{ value: secret }] } }, 'an object')
      log.warn({ err: new Error(`duplicate key (${secret})`) }, 'an error')
      log.error({ err: Object.assign(new Error('x'), { detail: `Key (email)=(${secret})` }) }, 'of the database')
      log.child({ credential: secret }).info('a child')
      log.info({ number: Number(secret) || 22123456789, list: [22123456789] }, 'a number')
      log.info({ url: `/v1/customers/by-email?email=${encodeURIComponent(secret)}` }, 'an address')
    })
    const told = secret.replace(/^Bearer /, '')
    assert.doesNotMatch(text, new RegExp(RegExp.escape(told)), name)
    assert.doesNotMatch(text, new RegExp(RegExp.escape(encodeURIComponent(told))), name)
    assert.equal(text.trim().split('\n').length, 7)
    assert.doesNotMatch(text, /22123456789/)
    for (const line of text.trim().split('\n')) JSON.parse(line)
  }
})

test('what helps to find a fault stays readable', () => {
  const id = '01900000-0000-7000-8000-000000000000'
  const text = written((log) =>
    log.info({ reqId: id, organizationId: id, route: '/api/v1/transfers/:id', ms: 12 }, 'ok'),
  )
  const line = JSON.parse(text) as Record<string, unknown>
  assert.deepEqual([line['reqId'], line['organizationId'], line['ms'], line['msg']], [id, id, 12, 'ok'])
  assert.match(String(line['time']), /^\d{4}-\d{2}-\d{2}T/)
})

test('a service that logs everything logs none of what its callers send', async (t) => {
  const lines: string[] = []
  const logTo = { write: (line: string) => void lines.push(line) }
  const service = await createService({ env: { KOLO_LOG_LEVEL: 'trace' }, logTo })
  const world = await createWorld(t, service)
  const { bvn, accountNumber, phone, email, signingSecret } = secrets
  const customer = { firstName: 'Ada', lastName: 'Obi', email, phone, identityType: 'BVN', identityNumber: bvn }
  await world.post('/v1/customers', customer, { 'idempotency-key': 'k1' })
  await world.get(`/v1/customers/by-email?email=${encodeURIComponent(email)}`)
  await world.post('/v1/payout-accounts/resolve', { accountNumber, bankCode: '058' })
  await world.post(`/organizations/${world.organizationId}/webhooks`, {
    url: 'http://127.0.0.1:9/',
    secret: signingSecret,
  })
  await world.post('/v1/auth/login', { email: world.email, password: world.password })
  await world.get('/v1/wallets', { authorization: `Bearer ${secrets.key}` })
  await world.post('/v1/transfers', { reference: `for ${bvn}`, sourceAmount: Number(accountNumber) })
  const text = lines.join('')
  assert.match(text, /"msg":"answered"/)
  assert.match(text, new RegExp(`"organizationId":"${world.organizationId}"`))
  assert.match(text, /"reqId":"/)
  const told = [
    ...Object.values(secrets).filter((secret) => !secret.startsWith('Bearer')),
    world.apiKey,
    world.password,
  ]
  for (const secret of told) assert(!text.includes(secret), secret)
})
