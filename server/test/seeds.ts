import { countOf } from './counts.ts'

/** The seeds of this run: as many as the level asks for, from KOLO_TEST_SEED or from anywhere. */
export function killSeeds(): number[] {
  const first = Number(process.env['KOLO_TEST_SEED'] ?? Math.floor(Math.random() * 1_000_000))
  return Array.from({ length: countOf({ test: 5, long: 15, soak: 50 }) }, (_, index) => first + index)
}

/** Mulberry32: the same numbers for the same seed. */
export function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
