import { timingSafeEqual } from 'node:crypto'

/**
 * Seals over an append-only sequence whose entries are numbered from 1 without gaps: the lines of an account, the
 * entries of an audit log. A seal covers a stretch of numbers; it keeps for each entry its id and a keyed digest of
 * what it said, and a digest over all of that and the seal before. Whoever changes a row by hand cannot make either
 * without the master key, so that a changed, exchanged or missing entry is named exactly. What no seal can show is the
 * newest entries taken away together with every seal over them: the counters, and copies of the seals elsewhere, do.
 */
export type Entry = { readonly id: string; readonly content: string }

export type Seal = {
  readonly firstNumber: bigint
  readonly lastNumber: bigint
  /** 32 bytes per entry: its id and the first half of its digest. */
  readonly entryMacs: Buffer
  readonly mac: Buffer
}

/** A keyed digest under one master key. */
export type Mac = (content: string | Buffer) => Buffer

export type SealFault =
  | {
      readonly fault: 'entry_changed' | 'entry_missing' | 'entry_exchanged'
      readonly number: bigint
      readonly id: string
    }
  | { readonly fault: 'seal_changed' | 'seal_missing'; readonly number: bigint; readonly id: null }

const ID_BYTES = 16
const DIGEST_BYTES = 16
const ENTRY_BYTES = ID_BYTES + DIGEST_BYTES

/** Seals the entries that follow `previous`. `sequence` names what is sealed, so that a seal fits nowhere else. */
export function makeSeal(mac: Mac, sequence: string, previous: Seal | undefined, entries: readonly Entry[]): Seal {
  const firstNumber = (previous?.lastNumber ?? 0n) + 1n
  const lastNumber = firstNumber + BigInt(entries.length) - 1n
  const entryMacs = Buffer.concat(
    entries.map((entry, index) => entryMac(mac, sequence, firstNumber + BigInt(index), entry)),
  )
  const stretch = { firstNumber, lastNumber, entryMacs }
  return { ...stretch, mac: sealMac(mac, sequence, previous?.mac, stretch) }
}

/** Compares a stretch with its seal. `entries` are what is found now, by number. */
export function checkSeal(
  mac: Mac,
  sequence: string,
  previous: Seal | undefined,
  seal: Seal,
  entries: ReadonlyMap<bigint, Entry>,
): SealFault[] {
  const isNext = seal.firstNumber === (previous?.lastNumber ?? 0n) + 1n
  if (!isNext) return [{ fault: 'seal_missing', number: (previous?.lastNumber ?? 0n) + 1n, id: null }]
  const count = Number(seal.lastNumber - seal.firstNumber + 1n)
  const isWhole =
    seal.entryMacs.length === count * ENTRY_BYTES && isSame(seal.mac, sealMac(mac, sequence, previous?.mac, seal))
  if (!isWhole) return [{ fault: 'seal_changed', number: seal.firstNumber, id: null }]
  const faults: SealFault[] = []
  for (let index = 0; index < count; index += 1) {
    const number = seal.firstNumber + BigInt(index)
    const kept = seal.entryMacs.subarray(index * ENTRY_BYTES, (index + 1) * ENTRY_BYTES)
    const id = idOf(kept)
    const found = entries.get(number)
    if (!found) faults.push({ fault: 'entry_missing', number, id })
    else if (found.id !== id) faults.push({ fault: 'entry_exchanged', number, id })
    else if (!isSame(kept, entryMac(mac, sequence, number, found))) faults.push({ fault: 'entry_changed', number, id })
  }
  return faults
}

function entryMac(mac: Mac, sequence: string, number: bigint, { id, content }: Entry): Buffer {
  const digest = mac(`${sequence}\n${number}\n${id}\n${content}`).subarray(0, DIGEST_BYTES)
  return Buffer.concat([Buffer.from(id.replaceAll('-', ''), 'hex'), digest])
}

function sealMac(mac: Mac, sequence: string, previous: Buffer | undefined, seal: Omit<Seal, 'mac'>): Buffer {
  const heading = `${sequence}\n${seal.firstNumber}\n${seal.lastNumber}\n${previous?.toString('hex') ?? ''}\n`
  return mac(Buffer.concat([Buffer.from(heading), seal.entryMacs]))
}

function idOf(kept: Buffer): string {
  const hex = kept.subarray(0, ID_BYTES).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
