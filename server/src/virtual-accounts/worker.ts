import type { Worker } from '../workers/worker.ts'
import { askForCredits } from './operations.ts'

/** How often, between two questions, a process looks whether it is time: one that died is stood in for soon. */
const LOOKS_PER_QUESTION = 3

/** Asks providers for credits whose notice never came. A few pages at a time; what was told before costs a look-up. */
export function creditQuestionsWorker(): Worker {
  let nextLookMs = 0
  return {
    name: 'credit-questions',
    // Asking is paced by the wall clock: no record falls due by it.
    nextDueAt: async () => null,
    async work(deps) {
      if (performance.now() < nextLookMs) return 0
      const asked = await askForCredits(deps)
      if (asked === 0) nextLookMs = performance.now() + deps.config.creditQuestionMs / LOOKS_PER_QUESTION
      return asked
    },
  }
}
