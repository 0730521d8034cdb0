/** How much a test repeats itself: every run, the long run, the soak. */
export type Counts = { readonly test: number; readonly long: number; readonly soak: number }

export function countOf(counts: Counts): number {
  const level = process.env['KOLO_TEST_LEVEL']
  return level === 'long' || level === 'soak' ? counts[level] : counts.test
}
