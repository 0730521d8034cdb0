import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, type World } from '../../test/world.ts'

type Body = Record<string, unknown>
type Account = { id: string; accountName: string; accountNumber: string; isActive: boolean } & Body
type Refused = { error: { code: string; param?: string; details?: { param: string }[] } }

const bank = { accountType: 'bank_account', accountNumber: '0123456789', bankCode: '058' }
const mobile = {
  accountType: 'mobile_money',
  accountNumber: '+233241234567',
  country: 'GH',
  institutionId: 'gh-mtn-money',
}

async function save(world: World, body: object): Promise<Account> {
  const response = await world.post('/v1/payout-accounts', body)
  assert.equal(response.statusCode, 201, response.body)
  return response.json<{ data: Account }>().data
}

async function resolve(world: World, body: object) {
  const response = await world.post('/v1/payout-accounts/resolve', body)
  const read = response.json<Refused & { data: Body }>()
  const params = read.error?.details?.map(({ param }) => param).toSorted()
  return { status: response.statusCode, code: read.error?.code, params, data: read.data }
}

test('a Nigerian bank account is resolved with every default', async (t) => {
  const world = await createWorld(t)
  const { status, data } = await resolve(world, { accountNumber: '0123456789', bankCode: '058' })
  assert.equal(status, 200)
  assert.match(String(data['accountName']), /^[A-Z]+ [A-Z]+$/)
  assert.deepEqual(
    { ...data, accountName: '' },
    {
      accountName: '',
      accountNumber: '0123456789',
      accountType: 'bank_account',
      bankCode: '058',
      bankName: 'Guaranty Trust Bank',
      institutionId: null,
      currency: 'NGN',
      country: 'NG',
    },
  )
})

test('country and currency follow from each other where they can', async (t) => {
  const world = await createWorld(t)
  const place = async (body: object) => {
    const { data, params } = await resolve(world, body)
    return data ? [data['country'], data['currency']] : params
  }
  const number = { accountNumber: '1234567890' }
  assert.deepEqual(await place({ ...number, currency: 'GHS', bankCode: '040100' }), ['GH', 'GHS'])
  assert.deepEqual(await place({ ...number, country: 'KE', bankCode: '68' }), ['KE', 'KES'])
  assert.deepEqual(await place({ ...number, country: 'CI', currency: 'XOF' }), ['CI', 'XOF'])
  assert.deepEqual(await place({ ...number, country: 'US', routingNumber: '021000021' }), ['US', 'USD'])
  assert.deepEqual(await place({ accountNumber: 'DE89370400440532013000', country: 'DE' }), ['DE', 'EUR'])
  for (const currency of ['EUR', 'USD', 'XOF', 'XAF'])
    assert.deepEqual(await place({ ...number, currency }), ['country'], currency)
  assert.deepEqual(await place({ ...number, currency: 'NGN', country: 'GH', bankCode: '040100' }), ['currency'])
})

test('an incomplete request is a 400 that names everything missing', async (t) => {
  const world = await createWorld(t)
  const missing: [object, string[]][] = [
    [{}, ['accountNumber']],
    [{ accountNumber: '123' }, ['accountNumber', 'bankCode']],
    [{ accountNumber: '01234567890', bankCode: '058' }, ['accountNumber']],
    [{ accountType: 'mobile_money', accountNumber: '0241234567', country: 'GH' }, ['institutionId']],
    [{ ...mobile, country: 'KE', institutionId: 'ke-mpesa-money' }, ['accountNumber']],
    [{ accountNumber: '12345678', country: 'GB' }, ['routingNumber']],
    [{ accountNumber: '12345678', country: 'US', routingNumber: '12' }, ['routingNumber']],
    [{ accountNumber: '12345678', country: 'ZA' }, ['routingNumber']],
    [{ accountNumber: '0123456789', bankCode: '058', accountType: 'partnerwallet_wallet' }, ['accountType']],
    [{ accountNumber: '0123456789', bankCode: '058', country: 'ng' }, ['country']],
    [{ accountNumber: 123456789, bankCode: null, colour: 'red' }, ['accountNumber', 'colour']],
  ]
  for (const country of ['GH', 'KE', 'UG', 'TZ', 'RW', 'ZM'])
    missing.push([{ accountNumber: '12345678', country }, ['bankCode']])
  for (const [body, params] of missing) {
    const refused = await resolve(world, body)
    assert.deepEqual([refused.status, refused.params], [400, params], JSON.stringify(body))
  }
})

test('what leads nowhere is 422, a silent provider 502, and neither opens the way for the other', async (t) => {
  const world = await createWorld(t)
  for (const body of [
    { accountNumber: '0000000422', bankCode: '058' },
    { accountNumber: '0123456789', bankCode: '999' },
    { ...mobile, institutionId: 'gh-unknown' },
    { ...mobile, accountNumber: '+233240000422' },
    { accountNumber: '123456789', country: 'BR', currency: 'USD' },
  ]) {
    const { status, code } = await resolve(world, body)
    assert.deepEqual([status, code], [422, 'account_not_resolved'], JSON.stringify(body))
  }
  for (let n = 0; n < 7; n += 1) {
    const { status, code } = await resolve(world, { accountNumber: '0000000502', bankCode: '058' })
    assert.deepEqual([status, code], [502, 'verification_provider_unavailable'])
  }
  assert.equal((await resolve(world, { accountNumber: '0123456789', bankCode: '058' })).status, 200)
})

test('a beneficiary is saved with the name the provider knows', async (t) => {
  const world = await createWorld(t)
  const account = await save(world, { ...bank, nickname: 'Rent', metadata: { floor: '2' } })
  const { data } = await resolve(world, { accountNumber: bank.accountNumber, bankCode: bank.bankCode })
  const { id, accountName, createdAt, updatedAt, ...rest } = account
  assert.equal(accountName, data['accountName'])
  assert.equal(createdAt, updatedAt)
  assert.deepEqual(rest, {
    ...bank,
    bankName: 'Guaranty Trust Bank',
    institutionId: null,
    routingNumber: null,
    currency: 'NGN',
    country: 'NG',
    nickname: 'Rent',
    metadata: { floor: '2' },
    isActive: true,
  })
  assert.deepEqual((await world.get(`/v1/payout-accounts/${id}`)).json<{ data: Account }>().data, account)
})

test('a destination that cannot be resolved is not saved', async (t) => {
  const world = await createWorld(t)
  assert.equal((await world.post('/v1/payout-accounts', { ...bank, accountNumber: '0000000422' })).statusCode, 422)
  assert.equal((await world.post('/v1/payout-accounts', { ...bank, accountNumber: '0000000502' })).statusCode, 502)
  const list = (await world.get('/v1/payout-accounts')).json<{ data: { pagination: { total: number } } }>()
  assert.equal(list.data.pagination.total, 0)
})

test('the same destination twice is one beneficiary, also 20 times at once and however it is written', async (t) => {
  const world = await createWorld(t)
  const spellings = ['+233241234567', '0241234567', '233241234567', '+233 24 123 4567']
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      world.post(
        '/v1/payout-accounts',
        { ...mobile, accountNumber: spellings[n % 4] },
        n % 2 ? { 'idempotency-key': `same-${n}` } : {},
      ),
    ),
  )
  assert.equal(answers.filter(({ statusCode }) => statusCode === 201).length, 1, answers.map((a) => a.body).join('\n'))
  assert.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 19)
  assert.equal(new Set(answers.map((answer) => answer.json<{ data: Account }>().data.id)).size, 1)
})

test('a partner-wallet beneficiary needs a currency the recipient can receive and shows the masked name', async (t) => {
  const world = await createWorld(t)
  const wallet = { accountType: 'partnerwallet_wallet', accountNumber: 'PWabcd1234' }
  const account = await save(world, { ...wallet, currency: 'GHS' })
  assert.match(account.accountName, /\*\*\*/)
  assert.deepEqual([account['currency'], account['country']], ['GHS', 'GH'])
  const missing = await world.post('/v1/payout-accounts', wallet)
  assert.deepEqual([missing.statusCode, missing.json<Refused>().error.param], [400, 'currency'])
  const usd = await world.post('/v1/payout-accounts', { ...wallet, currency: 'USD' })
  assert.deepEqual([usd.statusCode, usd.json<Refused>().error.code], [422, 'currency_mismatch'])
  const short = await world.post('/v1/payout-accounts', { ...wallet, accountNumber: 'PW1', currency: 'NGN' })
  assert.equal(short.statusCode, 400)
})

test('beneficiaries are listed newest first and filtered', async (t) => {
  const world = await createWorld(t)
  const first = await save(world, bank)
  const second = await save(world, mobile)
  await world.patch(`/v1/payout-accounts/${first.id}`, { isActive: false })
  const ids = async (query: string) =>
    (await world.get(`/v1/payout-accounts${query}`))
      .json<{ data: { payoutAccounts: Account[] } }>()
      .data.payoutAccounts.map(({ id }) => id)
  assert.deepEqual(await ids(''), [second.id, first.id])
  assert.deepEqual(await ids('?accountType=mobile_money'), [second.id])
  assert.deepEqual(await ids('?currency=NGN'), [first.id])
  assert.deepEqual(await ids('?isActive=true'), [second.id])
  assert.equal((await world.get('/v1/payout-accounts?accountType=card')).statusCode, 400)
})

test('a changed destination is resolved again before it is saved', async (t) => {
  const world = await createWorld(t)
  const account = await save(world, bank)
  const change = async (body: object) => world.patch(`/v1/payout-accounts/${account.id}`, body)
  const changed = (await change({ accountNumber: '1111111111', bankCode: '057', nickname: 'New' })).json<{
    data: Account
  }>().data
  assert.deepEqual(
    [changed['bankName'], changed.accountNumber, changed['nickname']],
    ['Zenith Bank', '1111111111', 'New'],
  )
  assert.notEqual(changed['updatedAt'], undefined)
  assert.equal((await change({ accountNumber: '0000000422' })).statusCode, 422)
  assert.equal((await change({ accountNumber: '0000000502' })).statusCode, 502)
  assert.equal((await change({ bankCode: null })).statusCode, 400)
  assert.equal((await change({ accountNumber: null })).statusCode, 400)
  assert.equal((await change({ currency: 'GHS' })).statusCode, 400)
  const kept = (await world.get(`/v1/payout-accounts/${account.id}`)).json<{ data: Account }>().data
  assert.deepEqual(kept, changed)
  const other = await save(world, bank)
  const taken = await world.patch(`/v1/payout-accounts/${other.id}`, { accountNumber: '1111111111', bankCode: '057' })
  assert.deepEqual([taken.statusCode, taken.json<Refused>().error.code], [409, 'payout_account_exists'])
})

test('nickname and metadata are cleared by null', async (t) => {
  const world = await createWorld(t)
  const account = await save(world, { ...bank, nickname: 'Rent', metadata: { a: 'b' } })
  const response = await world.patch(`/v1/payout-accounts/${account.id}`, { nickname: null, metadata: null })
  const { nickname, metadata } = response.json<{ data: Account }>().data
  assert.deepEqual([nickname, metadata], [null, null])
})

test('a removed beneficiary is gone, and its destination again is a new record', async (t) => {
  const world = await createWorld(t)
  const account = await save(world, bank)
  const removed = await world.delete(`/v1/payout-accounts/${account.id}`)
  assert.deepEqual([removed.statusCode, removed.json<{ data: Account }>().data.id], [200, account.id])
  assert.equal((await world.get(`/v1/payout-accounts/${account.id}`)).statusCode, 404)
  assert.equal((await world.patch(`/v1/payout-accounts/${account.id}`, { nickname: 'x' })).statusCode, 404)
  assert.equal((await world.delete(`/v1/payout-accounts/${account.id}`)).statusCode, 404)
  const again = await save(world, bank)
  assert.notEqual(again.id, account.id)
})

test("another organization's beneficiary is not found", async (t) => {
  const [world, other] = [await createWorld(t), await createWorld(t)]
  const account = await save(world, bank)
  for (const method of ['get', 'delete'] as const)
    assert.equal((await other[method](`/v1/payout-accounts/${account.id}`)).statusCode, 404)
  assert.equal((await other.patch(`/v1/payout-accounts/${account.id}`, {})).statusCode, 404)
  assert.equal((await world.get('/v1/payout-accounts/nonsense')).statusCode, 400)
})

test('the same Idempotency-Key saves once and answers the same bytes', async (t) => {
  const world = await createWorld(t)
  const key = { 'idempotency-key': 'save-once' }
  const first = await world.post('/v1/payout-accounts', bank, key)
  const second = await world.post('/v1/payout-accounts', bank, key)
  assert.deepEqual([first.statusCode, second.statusCode, second.body], [201, 201, first.body])
  assert.equal(second.headers['idempotent-replayed'], 'true')
})
