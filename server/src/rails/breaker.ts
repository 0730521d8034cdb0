import type { Metrics } from '../metrics.ts'
import type { Capability } from './rail.ts'

/** Keeps a provider that does not answer from being asked by everybody: after some silences it is left alone for a while. */
export type Breaker = { readonly rail: string; readonly capability: Capability; isOpen(): boolean }

const SILENCES_TO_OPEN = 5
const OPEN_MS = 5_000

type Functions = Readonly<Record<string, unknown>>

/** Wraps a capability's functions. While open they answer `unknown` at once; one caller at a time tries again after that. */
export function withBreaker<F extends object>(rail: string, capability: Capability, functions: F, metrics: Metrics) {
  let silences = 0
  let openUntilMs = 0

  async function call(run: () => Promise<unknown>): Promise<unknown> {
    if (performance.now() < openUntilMs) {
      return {
        state: 'unknown',
        cause: `${rail} has not been answering and is left alone for a moment`,
        isUnsent: true,
      }
    }
    // Half open: until this caller is back, the others are still kept away.
    if (silences >= SILENCES_TO_OPEN) openUntilMs = performance.now() + OPEN_MS
    const answer = (await run()) as { state?: string; isHeard?: true }
    note(answer.state === 'unknown' && !answer.isHeard)
    return answer
  }

  function note(isSilent: boolean): void {
    silences = isSilent ? silences + 1 : 0
    openUntilMs = silences >= SILENCES_TO_OPEN ? performance.now() + OPEN_MS : 0
    metrics.railSilences.set({ rail, capability }, silences)
  }

  const guarded = Object.fromEntries(
    Object.entries(functions as Functions).map(([name, member]) => [
      name,
      typeof member === 'function' ? (...args: unknown[]) => call(() => member(...args) as Promise<unknown>) : member,
    ]),
  ) as F
  return { guarded, breaker: { rail, capability, isOpen: () => performance.now() < openUntilMs } }
}
