import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askFor, command, paymentIn, read } from '../../test/payments.ts'
import { createService } from '../../test/service.ts'
import { createWorld } from '../../test/world.ts'
import { bankHolidays } from '../setting-readers.ts'
import { businessDaysAfter } from './calendar.ts'
import { csvLine } from './csv.ts'

type Settlement = Record<string, unknown> & { id: string }

test('a settlement is one rail, currency and date; its sums are those of its payments', async (t) => {
  const world = await createWorld(t)
  const formula = '=HYPERLINK("http://evil.example","x")'
  for (const more of [
    { sourceAmount: 100 },
    { sourceAmount: 33.33, description: formula },
    { sourceCurrency: 'USD' },
  ]) {
    await paymentIn(world, 'settled', more)
  }
  const list = (await world.get('/v1/settlements')).json<{ data: { settlements: Settlement[] } }>().data.settlements
  assert.equal(list.length, 2)
  const naira = list.find(({ currency }) => currency === 'NGN')!
  assert.deepEqual(
    [naira['rail'], naira['grossAmount'], naira['feeAmount'], naira['netAmount'], naira['paymentCount']],
    ['sandbox', 133.33, 2, 131.33, 2],
  )
  assert.deepEqual((await world.get(`/v1/settlements/${naira.id}`)).json<{ data: Settlement }>().data, naira)
  const payments = await world.get(`/v1/settlements/${naira.id}/payments?limit=1`)
  const page = payments.json<{ data: { payments: object[]; pagination: { total: number } } }>().data
  assert.deepEqual([page.payments.length, page.pagination.total], [1, 2])
  const csv = await world.get(`/v1/settlements/${naira.id}.csv`)
  assert.equal(csv.statusCode, 200, csv.body)
  assert.match(csv.headers['content-type'] as string, /^text\/csv/)
  const lines = csv.body.trimEnd().split('\r\n')
  assert.equal(lines.length, 3)
  assert.match(lines[0]!, /^paymentId,reference,customerId,description,/)
  assert.ok(csv.body.includes(`"'=HYPERLINK(""http://evil.example"",""x"")"`), csv.body)
})

test('a settlement of another organization is not found, also as CSV', async (t) => {
  const [world, other] = [await createWorld(t), await createWorld(t)]
  await paymentIn(world, 'settled')
  const [{ id }] = (await world.get('/v1/settlements')).json<{ data: { settlements: [Settlement] } }>().data.settlements
  for (const path of [`/v1/settlements/${id}`, `/v1/settlements/${id}.csv`, `/v1/settlements/${id}/payments`]) {
    assert.equal((await other.get(path)).statusCode, 404, path)
  }
  assert.equal((await world.get('/v1/settlements/nonsense.csv')).statusCode, 400)
})

test('nothing in a cell is run by a spreadsheet', () => {
  assert.equal(
    csvLine(['=1+1', '+1', '-1', '@x', '\tx', 'a,b', 'a"b', null, -5]),
    `"'=1+1","'+1","'-1","'@x","'\tx","a,b","a""b",,-5\r\n`,
  )
})

test('where the provider decides, money settles on a business day of its country', async (t) => {
  const service = await createService({ env: { KOLO_SETTLEMENT_SECONDS: 'provider' } })
  const world = await createWorld(t, service)
  const payment = await askFor(world)
  await command(world, payment, 'execute')
  const executedAt = (await read(world, payment)).statusHistory.at(-1)!.at
  await world.advance(10 * 86_400)
  const settled = await read(world, payment)
  assert.equal(settled.statusHistory.at(-1)?.at, businessDaysAfter(new Date(executedAt), 1, 'NG').toISOString())
})

test('business days leave out weekends and the holidays of the country', () => {
  const cases = [
    ['2026-11-13T10:00:00Z', 1, 'NG', '2026-11-16'], // Friday to Monday
    ['2026-11-13T23:30:00Z', 1, 'NG', '2026-11-16'], // already Saturday there
    ['2026-09-30T10:00:00Z', 1, 'NG', '2026-10-02'], // Independence Day
    ['2026-04-02T10:00:00Z', 1, 'NG', '2026-04-07'], // Good Friday to Easter Monday
    ['2026-12-24T10:00:00Z', 2, 'GB', '2026-12-30'], // Christmas, Boxing Day on a Saturday
    ['2026-11-25T10:00:00Z', 1, 'US', '2026-11-27'], // Thanksgiving
    ['2026-03-19T10:00:00Z', 1, 'KE', '2026-03-23'], // Eid al-Fitr on a Friday
    ['2026-03-19T10:00:00Z', 1, 'GH', '2026-03-24'], // and the day after it, a Saturday, kept on Monday
    ['2027-03-08T10:00:00Z', 1, 'NG', '2027-03-11'], // two days of Eid al-Fitr
    ['2028-05-04T10:00:00Z', 1, 'UG', '2028-05-08'], // Eid al-Adha on a Friday
    ['2030-02-01T10:00:00Z', 1, 'CM', '2030-02-05'], // Eid al-Fitr on a Monday
    ['2027-12-24T10:00:00Z', 1, 'GB', '2027-12-29'], // Christmas on a weekend
    ['2027-08-06T10:00:00Z', 1, 'RW', '2027-08-09'],
    ['2026-08-07T10:00:00Z', 1, 'ZA', '2026-08-11'], // Women's Day on a Sunday
    ['2026-07-03T10:00:00Z', 1, 'US', '2026-07-06'], // a Saturday is not made up for
    ['2026-05-22T10:00:00Z', 1, 'GB', '2026-05-26'], // the last Monday of May
    ['2026-11-13T10:00:00Z', 1, 'XX', '2026-11-16'],
  ] as const
  for (const [from, days, country, expected] of cases) {
    assert.equal(businessDaysAfter(new Date(from), days, country).toISOString().slice(0, 10), expected, from + country)
  }
})

test('an operator says which holidays were announced', () => {
  const changes = bankHolidays('NG+2027-03-11, NG-2027-03-09')
  const after = (day: string, country: string) =>
    businessDaysAfter(new Date(`${day}T10:00:00Z`), 1, country, changes)
      .toISOString()
      .slice(0, 10)
  assert.deepEqual([after('2027-03-08', 'NG'), after('2027-03-10', 'NG')], ['2027-03-09', '2027-03-12'])
  assert.equal(after('2027-03-08', 'KE'), '2027-03-10')
  assert.deepEqual(bankHolidays(''), [])
  for (const wrong of ['NG', 'NG+2027-02-30', 'ng+2027-03-11', 'NG+2027-03-11;NG-2027-03-09']) {
    assert.throws(() => bankHolidays(wrong), /must be like/, wrong)
  }
})
