import { mkdtempSync, rmSync, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describeMachine, reportText, writeReport } from './report.ts'
import { createBench, type BenchContext } from './context.ts'

/**
 * `npm run bench -- <name> [words]`: a PostgreSQL of its own, `bench/<name>.ts` on it, a table of figures with their
 * ratios to the baseline, kept in bench/results/. Ends with 1 when a bar is missed.
 */
const [name = '', ...words] = process.argv.slice(2)
const file = fileURLToPath(new URL(`${name}.ts`, import.meta.url))
if (!/^[a-z-]+$/.test(name) || !existsSync(file)) {
  process.stderr.write('npm run bench -- <name>, where bench/<name>.ts exports run(context).\n')
  process.exit(1)
}
const { run } = (await import(file)) as { run: (context: BenchContext) => Promise<void> }
const dataDir = mkdtempSync(join(tmpdir(), 'kolo-bench-'))
const bench = await createBench(dataDir, words)
try {
  await run(bench.context)
  const report = { bench: name, measuredAt: new Date().toISOString(), machine: describeMachine(), ...bench.results() }
  writeReport(report)
  process.stdout.write(reportText(report))
  process.exitCode = report.bars.every(({ isMet }) => isMet) ? 0 : 1
} finally {
  await bench.close()
  rmSync(dataDir, { recursive: true, force: true })
}
