import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { checkSeal, makeSeal, type Entry, type Mac } from './seal.ts'

const macUnder =
  (key: string): Mac =>
  (content) =>
    createHmac('sha256', key).update(content).digest()
const mac = macUnder('the master key')

function entriesOf(count: number): Entry[] {
  return Array.from({ length: count }, (_, index) => ({ id: randomUUID(), content: `entry ${index}` }))
}

function numbered(entries: readonly Entry[], first = 1n): Map<bigint, Entry> {
  return new Map(entries.map((entry, index) => [first + BigInt(index), entry]))
}

test('a stretch that nobody touched fits its seal', () => {
  const [early, late] = [entriesOf(3), entriesOf(2)]
  const first = makeSeal(mac, 'log', undefined, early)
  const second = makeSeal(mac, 'log', first, late)
  assert.deepEqual([second.firstNumber, second.lastNumber, second.entryMacs.length], [4n, 5n, 64])
  assert.deepEqual(checkSeal(mac, 'log', undefined, first, numbered(early)), [])
  assert.deepEqual(checkSeal(mac, 'log', first, second, numbered(late, 4n)), [])
})

test('a changed, a missing and an exchanged entry are each named by the id that was sealed', () => {
  const entries = entriesOf(5)
  const seal = makeSeal(mac, 'log', undefined, entries)
  const found = numbered(entries)
  found.set(2n, { ...entries[1]!, content: 'something else' })
  found.delete(3n)
  found.set(5n, { id: randomUUID(), content: entries[4]!.content })
  assert.deepEqual(checkSeal(mac, 'log', undefined, seal, found), [
    { fault: 'entry_changed', number: 2n, id: entries[1]!.id },
    { fault: 'entry_missing', number: 3n, id: entries[2]!.id },
    { fault: 'entry_exchanged', number: 5n, id: entries[4]!.id },
  ])
})

test('a seal made without the key, for another sequence, or changed afterwards is found out', () => {
  const entries = entriesOf(2)
  const seal = makeSeal(mac, 'log', undefined, entries)
  const changed = { ...seal, entryMacs: Buffer.from(seal.entryMacs) }
  changed.entryMacs[40]! ^= 1
  for (const wrong of [
    makeSeal(macUnder('a guess'), 'log', undefined, entries),
    makeSeal(mac, 'another log', undefined, entries),
    changed,
    { ...seal, entryMacs: seal.entryMacs.subarray(0, 32) },
  ]) {
    assert.deepEqual(checkSeal(mac, 'log', undefined, wrong, numbered(entries)), [
      { fault: 'seal_changed', number: 1n, id: null },
    ])
  }
})

test('a seal taken out of the middle breaks the chain', () => {
  const [a, b, c] = [entriesOf(2), entriesOf(2), entriesOf(2)]
  const first = makeSeal(mac, 'log', undefined, a)
  const second = makeSeal(mac, 'log', first, b)
  const third = makeSeal(mac, 'log', second, c)
  assert.deepEqual(checkSeal(mac, 'log', first, third, numbered(c, 5n)), [
    { fault: 'seal_missing', number: 3n, id: null },
  ])
})
