import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '../../test/world.ts'

type Provider = { id: string; name: string; country_iso_code: string; currency: string; bankCode: string | null }
type Page = { data: { providers: Provider[]; pagination: { page: number; pages: number; total: number } } }

test('providers are listed by name with exactly page, pages and total', async (t) => {
  const world = await createWorld(t)
  const response = await world.get('/v1/payouts/providers?country=NG&beneficiaryType=bank_account&limit=100')
  assert.equal(response.statusCode, 200, response.body)
  const { providers, pagination } = response.json<Page>().data
  assert.deepEqual(Object.keys(pagination).toSorted(), ['page', 'pages', 'total'])
  assert.deepEqual(pagination, { page: 1, pages: 1, total: providers.length })
  const names = providers.map(({ name }) => name)
  assert.deepEqual(names, names.toSorted(new Intl.Collator('en').compare))
  const zenith = providers.find(({ bankCode }) => bankCode === '057')
  assert.deepEqual(zenith, {
    id: 'ng-057',
    name: 'Zenith Bank',
    country_iso_code: 'NG',
    currency: 'NGN',
    bankCode: '057',
  })
})

test('pages of providers do not overlap and end', async (t) => {
  const world = await createWorld(t)
  const read = async (page: number) =>
    (
      await world.get(`/v1/payouts/providers?country=NG&beneficiaryType=bank_account&limit=15&page=${page}`)
    ).json<Page>().data
  const pages = [await read(1), await read(2), await read(3), await read(4)]
  const ids = pages.flatMap(({ providers }) => providers.map(({ id }) => id))
  assert.equal(new Set(ids).size, pages[0]!.pagination.total)
  assert.equal(pages[0]!.pagination.pages, 3)
  assert.deepEqual(pages[3]!.providers, [])
})

test('every mobile-money country has its operators, searched without regard to case and accents', async (t) => {
  const world = await createWorld(t)
  for (const country of ['GH', 'KE', 'UG', 'TZ', 'RW', 'ZM', 'CI', 'SN', 'CM']) {
    const response = await world.get(`/v1/payouts/providers?country=${country}&beneficiaryType=mobile_money`)
    const { providers } = response.json<Page>().data
    assert(providers.length >= 2, country)
    assert(providers.every((one) => one.country_iso_code === country && one.bankCode === null))
  }
  const found = await world.get('/v1/payouts/providers?country=SN&beneficiaryType=mobile_money&search=WAVE%20senegal')
  assert.deepEqual(
    found.json<Page>().data.providers.map(({ name }) => name),
    ['Wave Sénégal'],
  )
})

test('country and beneficiaryType are required, and every fault is named', async (t) => {
  const world = await createWorld(t)
  const response = await world.get('/v1/payouts/providers?limit=101&colour=red')
  assert.equal(response.statusCode, 400)
  const { details } = response.json<{ error: { details: { param: string }[] } }>().error
  assert.deepEqual(details.map(({ param }) => param).toSorted(), ['beneficiaryType', 'colour', 'country', 'limit'])
  for (const query of ['beneficiaryType=partnerwallet_wallet', 'beneficiaryType=bank_account&page=1e400'])
    assert.equal((await world.get(`/v1/payouts/providers?country=NG&${query}`)).statusCode, 400, query)
})

test('a country nobody pays to has no providers', async (t) => {
  const world = await createWorld(t)
  const response = await world.get('/v1/payouts/providers?country=BR&beneficiaryType=bank_account')
  assert.deepEqual(response.json<Page>().data, { providers: [], pagination: { page: 1, pages: 0, total: 0 } })
})
