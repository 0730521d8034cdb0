import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../src/db/embedded/server.ts'
import { checkoutDir } from '../src/config.ts'
import { createTemplate } from './database.ts'

/**
 * Sets up a PostgreSQL and runs the tests on it: `run.ts` every rule, `run.ts long` the long counts, `run.ts soak` the
 * full ones. Further words are file patterns that replace the default ones.
 */
const [level, patterns] = readArguments(process.argv.slice(2))
const dataDir = mkdtempSync(join(tmpdir(), 'kolo-test-'))
// Tests never lose power: what a killed process had committed is kept by the operating system.
const postgres = await startEmbedded({
  dataDir,
  settings: ['fsync=off', 'full_page_writes=off', 'max_connections=400'],
})
try {
  await createTemplate(postgres.url)
  process.exitCode = await runTests(postgres.url)
} finally {
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

function readArguments(words: string[]): [level: string, patterns: string[]] {
  const isLevel = words[0] === 'long' || words[0] === 'soak'
  const chosen = isLevel ? words[0]! : 'test'
  const wanted = isLevel ? words.slice(1) : words
  if (wanted.length > 0) return [chosen, wanted]
  const counted = ['server/src/**/*.test.ts', 'server/test/{properties,faults,long}/*.test.ts']
  return [
    chosen,
    isLevel
      ? counted
      : ['server/src/**/*.test.ts', 'server/test/*.test.ts', 'server/test/{properties,faults,scenes}/*.test.ts'],
  ]
}

/** The longer runs repeat only what counts: a file that does the same at every level was proven by the first. */
function isWorthIt(file: string): boolean {
  if (level === 'test' || file.includes('/long/')) return true
  return /\b(countOf|killSeeds)\(/.test(readFileSync(join(checkoutDir, file), 'utf8'))
}

function runTests(databaseUrl: string): Promise<number> {
  const files = patterns
    .flatMap((pattern) => globSync(pattern, { cwd: checkoutDir }))
    .filter(isWorthIt)
    .toSorted()
  const options = ['--test', '--test-concurrency=3', `--test-timeout=${level === 'test' ? 120_000 : 900_000}`]
  const child = spawn(process.execPath, [...options, ...files], {
    cwd: checkoutDir,
    stdio: 'inherit',
    env: {
      ...process.env,
      KOLO_TEST_DATABASE_URL: databaseUrl,
      KOLO_TEST_LEVEL: level,
      // Every file is a process of its own: they share what has been compiled.
      NODE_COMPILE_CACHE: join(checkoutDir, 'node_modules/.cache/kolo'),
    },
  })
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)))
}
