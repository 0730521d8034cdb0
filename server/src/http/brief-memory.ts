import type { Deps } from '../deps.ts'

/** What a transaction wakes that changed a key, a member, a session or whether an organization is open. */
export const CREDENTIALS = 'credentials'

/** Other processes hear of a change by a hint within milliseconds, and without it after this long: well under 1 s. */
const KEPT_MS = 500
/** Past this many the memory begins anew, rather than grow with every key there is. */
const MOST_KEPT = 10_000

/**
 * Remembers for a moment what the database said, so that a busy caller costs a few look-ups a second. Everything is
 * forgotten when a transaction of this process wakes CREDENTIALS, before its caller is answered.
 */
export function createBriefMemory<T>(deps: Deps, read: (key: string) => Promise<T | undefined>) {
  const kept = new Map<string, { readonly until: number; readonly value: Promise<T | undefined> }>()
  // A read that began before a change may end after it: it is in the map that was thrown away.
  deps.onWake(CREDENTIALS, () => kept.clear())

  return function recall(key: string): Promise<T | undefined> {
    const known = kept.get(key)
    const at = performance.now()
    if (known && known.until > at) return known.value
    if (kept.size >= MOST_KEPT) kept.clear()
    const value = read(key)
    const entry = { until: at + KEPT_MS, value }
    kept.set(key, entry)
    value.catch(() => kept.get(key) === entry && kept.delete(key))
    return value
  }
}
