import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseJson } from '../http/json.ts'
import { decimalsOf, currencies, type Currency } from './currencies.ts'
import { formatDecimal, parseDecimal } from './decimal.ts'
import { feeFor, feeRules } from './fees.ts'
import {
  ceilDiv,
  halfEvenDiv,
  MAX_OPERATION_MINOR,
  minor,
  parseMajor,
  toMajor,
  toMajorText,
  withhold,
} from './money.ts'
import { crossRate, parseRate, rateText, scaleRate, sourceOf, targetOf, type Rate } from './rate.ts'

const defaults = feeRules({
  feeVirtualAccountBasisPoints: 100,
  feeVirtualAccountCapNgn: 300,
  feePaymentBasisPoints: 150,
  feePayoutBasisPoints: 50,
  feePayoutCapNgn: 50,
})

/** What becomes of an amount written in a JSON body. */
function read(text: string, currency: Currency = 'NGN'): bigint | string {
  let value: unknown
  try {
    value = parseJson(Buffer.from(text))
  } catch {
    return 'refused by the reader'
  }
  return typeof value === 'number' ? parseMajor(value, currency) : 'not a number'
}

test('an amount is read from the JSON text: exactly, or not at all', () => {
  const cases: [text: string, read: bigint | string, currency?: Currency][] = [
    ['0.30', 30n],
    ['0.30000000000000004', 'too_many_decimals'],
    [String(0.1 + 0.2), 'too_many_decimals'],
    ['1e-9', 'too_many_decimals'],
    ['0.000000001', 'too_many_decimals'],
    ['9007199254740993', 'refused by the reader'],
    ['90071992547409.93', 'refused by the reader'],
    ['"1e3"', 'not a number'],
    ['1e3', 100_000n],
    ['1E+3', 100_000n],
    ['1000.000000000000000001', 'refused by the reader'],
    ['1000.00', 100_000n],
    ['0', 'not_positive'],
    ['-0', 'not_positive'],
    ['-1', 'not_positive'],
    ['NaN', 'refused by the reader'],
    ['1e400', 'refused by the reader'],
    ['Infinity', 'refused by the reader'],
    ['90071992547.40', 9_007_199_254_740n],
    ['90071992547.41', 'too_large'],
    ['1', 1n, 'UGX'],
    ['1.0', 1n, 'UGX'],
    ['1.5', 'too_many_decimals', 'UGX'],
    ['0.01', 'too_many_decimals', 'XOF'],
    ['9007199254740', 9_007_199_254_740n, 'XOF'],
    ['9007199254741', 'too_large', 'XOF'],
    ['0.01', 1n, 'KES'],
    ['0.001', 'too_many_decimals', 'KES'],
  ]
  for (const [text, expected, currency = 'NGN'] of cases) assert.equal(read(text, currency), expected, text)
})

test('every amount that may be moved is written and read back unchanged', () => {
  fc.assert(
    fc.property(fc.constantFrom(...currencies), fc.bigInt(1n, MAX_OPERATION_MINOR), (currency, amount) => {
      assert.equal(read(JSON.stringify(toMajor(minor(amount), currency)), currency), amount)
    }),
  )
})

test('amounts are written with the decimals of their currency and no more', () => {
  assert.equal(toMajorText(minor(150n), 'NGN'), '1.5')
  assert.equal(toMajorText(minor(5n), 'NGN'), '0.05')
  assert.equal(toMajorText(minor(-5n), 'NGN'), '-0.05')
  assert.equal(toMajorText(minor(150n), 'UGX'), '150')
  assert.deepEqual(
    currencies.filter((currency) => decimalsOf[currency] === 0),
    ['UGX', 'RWF', 'XOF', 'XAF'],
  )
})

test('decimals are kept as written, and absurd ones are not multiplied out', () => {
  assert.deepEqual(parseDecimal('12.3400'), { digits: 1234n, scale: 2 })
  assert.deepEqual(parseDecimal('1.5e3'), { digits: 1500n, scale: 0 })
  assert.deepEqual(parseDecimal('-0.00'), { digits: 0n, scale: 0 })
  for (const text of ['', '.5', '5.', '+5', '0x10', '1_000', ' 1', '1e99999', `1e${64 + 1}`, '9'.repeat(65)])
    assert.equal(parseDecimal(text), undefined, text)
  assert.equal(formatDecimal({ digits: 1_000_001n, scale: 6 }), '1.000001')
})

test('a fee rounds up to the minor unit, passes neither its cap nor the gross, and sums with the net', () => {
  const fee = (amount: bigint, kind: 'virtualAccountCredit' | 'payment' | 'payout', currency: Currency = 'NGN') =>
    withhold({ amount: minor(amount), currency }, defaults[kind]).fee.amount
  assert.equal(fee(1n, 'virtualAccountCredit'), 1n)
  assert.equal(fee(100n, 'virtualAccountCredit'), 1n)
  assert.equal(fee(101n, 'virtualAccountCredit'), 2n)
  assert.equal(fee(2_999_900n, 'virtualAccountCredit'), 29_999n)
  assert.equal(fee(3_000_000n, 'virtualAccountCredit'), 30_000n)
  assert.equal(fee(9_000_000n, 'virtualAccountCredit'), 30_000n)
  assert.equal(fee(10_000n, 'payment'), 150n)
  assert.equal(fee(1_000_000n, 'payout'), 5_000n)
  assert.equal(fee(2_000_000n, 'payout'), 5_000n)
  // The cap is one of naira: other wallets have none.
  assert.equal(fee(2_000_000n, 'payout', 'KES'), 10_000n)
  fc.assert(
    fc.property(fc.bigInt(1n, MAX_OPERATION_MINOR), fc.bigInt(0n, 10_000n), (amount, basisPoints) => {
      const gross = { amount: minor(amount), currency: 'GHS' as const }
      const split = withhold(gross, { basisPoints })
      assert.equal(split.fee.amount + split.net.amount, amount)
      assert.ok(split.fee.amount * 10_000n >= amount * basisPoints && split.net.amount >= 0n)
    }),
  )
})

test('a net of zero is possible: the fee is never more than the gross', () => {
  const { fee, net } = withhold({ amount: minor(1n), currency: 'UGX' }, { basisPoints: 9_999n })
  assert.deepEqual([fee.amount, net.amount], [1n, 0n])
})

test('the fee of a payment is of the target, of a payout of the source, of a transfer none', () => {
  const source = { amount: minor(10_000n), currency: 'NGN' as const }
  const target = { amount: minor(20_000n), currency: 'KES' as const }
  assert.deepEqual(feeFor('payment', source, target, defaults), { amount: 300n, currency: 'KES' })
  assert.deepEqual(feeFor('payout', source, target, defaults), { amount: 50n, currency: 'NGN' })
  assert.deepEqual(feeFor('transfer', source, target, defaults), { amount: 0n, currency: 'NGN' })
})

const rateOf = (text: string, source: Currency, target: Currency): Rate => ({ source, target, rate: parseRate(text)! })

test('given the source the target rounds half to even; given the target the source rounds up', () => {
  const half = rateOf('0.5', 'NGN', 'KES')
  const target = (amount: bigint) => targetOf({ amount: minor(amount), currency: 'NGN' }, half).amount
  assert.deepEqual([1n, 2n, 3n, 5n, 7n].map(target), [0n, 1n, 2n, 2n, 4n])
  const source = (amount: bigint) =>
    sourceOf({ amount: minor(amount), currency: 'KES' }, rateOf('3', 'NGN', 'KES')).amount
  assert.deepEqual([1n, 2n, 3n, 4n].map(source), [1n, 1n, 1n, 2n])
  assert.deepEqual([halfEvenDiv(5n, 2n), halfEvenDiv(7n, 2n), halfEvenDiv(8n, 3n), ceilDiv(7n, 3n)], [2n, 4n, 3n, 3n])
})

test('currencies of different decimals are converted in their own units', () => {
  const toShillings = rateOf('2.5', 'NGN', 'UGX')
  // 10 naira are 1,000 kobo and 25 whole shillings; 0.20 naira is half a shilling, and half goes to the even 0.
  assert.equal(targetOf({ amount: minor(1_000n), currency: 'NGN' }, toShillings).amount, 25n)
  assert.equal(targetOf({ amount: minor(20n), currency: 'NGN' }, toShillings).amount, 0n)
  assert.equal(sourceOf({ amount: minor(1n), currency: 'UGX' }, toShillings).amount, 40n)
})

test('the target is always paid for: what its source converts to is never less', () => {
  const rates = fc.tuple(fc.integer({ min: 1, max: 9_999_999 }), fc.integer({ min: 0, max: 6 }))
  fc.assert(
    fc.property(rates, fc.bigInt(1n, 10_000_000_000n), ([digits, scale], amount) => {
      const rate = rateOf(`${digits}e-${scale}`, 'NGN', 'XOF')
      const source = sourceOf({ amount: minor(amount), currency: 'XOF' }, rate)
      assert.ok(targetOf(source, rate).amount >= amount)
    }),
  )
})

test('a rate has at most ten significant digits, and exactly those are multiplied', () => {
  assert.equal(rateText(parseRate('1234.567890123')!), '1234.56789')
  assert.equal(rateText(parseRate('0.00012345678912')!), '0.0001234567891')
  assert.equal(rateText(parseRate('123456789012')!), '123456789000')
  assert.equal(rateText(crossRate(parseRate('1')!, parseRate('3')!)), '0.3333333333')
  assert.equal(rateText(scaleRate(parseRate('1500')!, 9_900n)), '1485')
  for (const text of ['0', '-1', 'x', '']) assert.equal(parseRate(text), undefined, text)
  const rate = rateOf('1234.567890123', 'USD', 'NGN')
  assert.equal(targetOf({ amount: minor(10_000_000n), currency: 'USD' }, rate).amount, 12_345_678_900n)
})
