import type { Worker, WorkerDeps } from '../workers/worker.ts'
import type { Part } from './accounts.ts'
import type { Finding } from './finding.ts'
import { auditIntercompany, auditInParts, NO_ORGANIZATION } from './operations.ts'
import * as store from './store.ts'

/** What one round looks at: some 30 ms of work, twice a second at most, so that an audit is never felt. */
const LINES_PER_ROUND = 4_000
const PARTS_PER_ROUND = 200
/** Between two passes over all books, and between two looks at whether the process that audits still lives. */
const PASS_EVERY_MS = 10 * 60_000

type Current = { readonly organizationId: string; readonly parts: AsyncGenerator<Part>; readonly findings: Finding[] }

/** Audits all books over and over, a little at a time. One process of the deployment is at it. */
export function auditWorker(): Worker {
  let current: Current | undefined
  let nextRunMs = 0

  async function begin(deps: WorkerDeps): Promise<Current | undefined> {
    const progress = await deps.db.transaction((tx) => store.claimAudit(tx, deps.processId()))
    if (!progress) return undefined
    const organizationId = await store.nextOrganization(deps.db, progress.organizationId ?? NO_ORGANIZATION)
    if (organizationId) return { organizationId, parts: auditInParts(deps, organizationId), findings: [] }
    const findings = await auditIntercompany(deps)
    const isFinished = await keep(deps, NO_ORGANIZATION, findings, (tx) =>
      store.finishPass(tx, deps.processId(), deps.now()),
    )
    if (isFinished) deps.metrics.auditPasses.inc()
    return undefined
  }

  return {
    name: 'audit',
    nextDueAt: async () => null,
    async work(deps) {
      if (performance.now() < nextRunMs) return 0
      let [lines, parts] = [0, 0]
      while (lines < LINES_PER_ROUND && parts < PARTS_PER_ROUND) {
        current ??= await begin(deps)
        if (!current) {
          nextRunMs = performance.now() + PASS_EVERY_MS
          break
        }
        const { organizationId, findings } = current
        const { value, done } = await current.parts.next()
        if (done) {
          current = undefined
          await keep(deps, organizationId, findings, (tx) => store.advanceAudit(tx, deps.processId(), organizationId))
          continue
        }
        const part = value as Part
        lines += part.lines
        parts += 1
        findings.push(...part.findings)
      }
      deps.metrics.auditedLines.inc(lines)
      // Nothing waits for it: the next round comes with the next poll.
      return 0
    },
  }
}

/** Keeps what was found, if the audit is still this process's. */
async function keep(
  deps: WorkerDeps,
  organizationId: string,
  findings: readonly Finding[],
  advance: (tx: Parameters<typeof store.claimAudit>[0]) => Promise<boolean>,
): Promise<boolean> {
  for (const finding of findings) deps.log.error({ finding }, 'the audit found something that cannot be')
  const isOurs = await deps.db.transaction(async (tx) => {
    if (!(await advance(tx))) return false
    await store.replaceFindings(tx, organizationId, findings, deps.now())
    return true
  })
  deps.metrics.auditFindings.set(await store.countFindings(deps.db))
  return isOurs
}
