import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { test } from 'node:test'
import { checkoutDir } from '../src/config.ts'

// The rules of the house a machine can check. Where a rule has exceptions they stand here, each with its reason.

const src = join(checkoutDir, 'server/src')
type Source = { readonly path: string; readonly text: string; readonly imports: readonly Import[] }
type Import = { readonly from: string; readonly isType: boolean }

const everything = globSync('**/*.ts', { cwd: src }).toSorted().map(readSource)
const sources = everything.filter(({ path }) => !path.endsWith('.test.ts'))

function readSource(path: string): Source {
  const text = readFileSync(join(src, path), 'utf8')
  const imports = [...text.matchAll(/^(?:import|export) (type )?[^';]*?from '([^']+)'/gm)]
    .filter((match) => match[2]!.startsWith('.'))
    .map((match) => ({ from: relative(src, resolve(src, dirname(path), match[2]!)), isType: match[1] !== undefined }))
  return { path, text, imports }
}

/** Collects what breaks a rule, so that one run names every place. */
function forbid(of: readonly Source[], message: string, isWrong: (source: Source, imported: Import) => boolean): void {
  const wrong = of.flatMap((source) =>
    source.imports.filter((one) => isWrong(source, one)).map(({ from }) => `${source.path} imports ${from}`),
  )
  assert.deepEqual(wrong, [], message)
}

/** What everything stands on. Stands on nothing else itself. */
const ground =
  /^(db\/|money\/|(errors|ids|clock|config|settings|setting-readers|secrets|local-secrets|log|metrics|deps|fault-point)\.ts$)/
const composition = /^(main|service|app|sandbox-provider)\.ts$|^commands\//
const isRoutes = (path: string) => /(^|\/)routes(\.ts$|\/)/.test(path)
const isStore = (path: string) => /(^|[/-])store\.ts$/.test(path)
const folderOf = (path: string) => dirname(path).split('/')[0]!

test('the ground imports only the ground', () => {
  forbid(
    sources.filter(({ path }) => ground.test(path)),
    'db, money, errors, ids, clock and configuration know nothing of what stands on them',
    (_source, { from, isType }) => !ground.test(from) && !isType,
  )
})

test('imports point down: nothing imports what composes it', () => {
  forbid(
    sources.filter(({ path }) => !composition.test(path)),
    'only main, service, app and commands compose; a routes file may name the type Api',
    (_source, { from, isType }) => composition.test(from) && !(isType && from === 'app.ts'),
  )
})

test('only the app registers routes', () => {
  forbid(sources, 'routes are imported by app.ts alone', ({ path }, { from }) => isRoutes(from) && path !== 'app.ts')
})

test('a route is a schema and a call: it reaches no store and no database', () => {
  forbid(
    sources.filter(({ path }) => isRoutes(path)),
    'let the route call an operation',
    (_source, { from }) => isStore(from) || from.startsWith('db/'),
  )
})

test('a store knows statements, not operations', () => {
  forbid(
    sources.filter(({ path }) => isStore(path)),
    'a store imports the ground, schemas and states',
    (_source, { from, isType }) => /operations/.test(from) || isRoutes(from) || (from.startsWith('http/') && !isType),
  )
})

/** Processes and the clock are everybody's: their statements stand beside the workers, which are no noun. */
const sharedStores = new Set(['workers/store.ts'])

test("a noun calls another noun's operations, never its store", () => {
  forbid(
    sources,
    'call an operation of that noun instead',
    ({ path }, { from, isType }) =>
      isStore(from) && folderOf(path) !== folderOf(from) && !sharedStores.has(from) && !isType,
  )
})

/** The sandbox tells the built-in provider what to do, as nobody can tell a real one. */
const railCommanders: Readonly<Record<string, string>> = { sandbox: 'rails/sandbox' }

test('only the composition root names a concrete rail', () => {
  const isConcrete = (path: string) => /^rails\/(?!inbox\/)[^/]+\//.test(path)
  // Sandbox routes alone know that the provider can be told what to do.
  const mayName = (path: string) => composition.test(path) || path === 'sandbox/provider.ts'
  forbid(
    sources.filter(({ path }) => !mayName(path)),
    'work with the interface in rails/rail.ts',
    ({ path }, { from }) =>
      isConcrete(from) && dirname(from) !== dirname(path) && railCommanders[folderOf(path)] !== dirname(from),
  )
})

test('the simulator plays the outside world: it knows nothing of the service', () => {
  forbid(
    sources.filter(({ path }) => path.startsWith('simulator/')),
    'speak to the simulator over HTTP, and let it speak over HTTP',
    (_source, { from }) => !from.startsWith('simulator/') && !ground.test(from),
  )
})

test('the ledger and the events know schemas of nouns, never their operations', () => {
  forbid(
    sources.filter(({ path }) => /^(ledger|events)\//.test(path) && !isRoutes(path)),
    'the ledger and the events lie below the nouns',
    ({ path }, { from }) =>
      folderOf(from) !== folderOf(path) && !ground.test(from) && !/(^|\/)schemas?\.ts$/.test(from),
  )
})

test('the environment is read in config.ts alone', () => {
  assert.deepEqual(having(/process\.env/), ['config.ts'])
})

/** Where a transaction may begin besides operations, workers and commands. */
const transactionPlaces: Readonly<Record<string, string>> = {
  'db/database.ts': 'it is made here',
  'db/partitions.ts': 'tables are made in a transaction of their own',
  'http/idempotency.ts': 'the effect and its kept answer commit together',
  'http/together.ts': 'so do those of requests that come at the same moment',
  'payouts/engine.ts': 'what a batch of orders came to is recorded between the rounds of its worker',
  'rails/inbox/intake.ts': 'notices that come at once are stored by one statement',
  'webhooks/recorder.ts': 'attempts end between the rounds of their worker',
  'auth/limits.ts': 'an attempt to sign in is counted before it is known how it ends',
  'api-keys/keyring.ts': 'the use of a key is noted apart from the request, which does not wait for it',
}

test('transactions begin in operations, workers, commands and http/idempotency.ts', () => {
  const isOperation = /(^|\/)(operations(\/[^/]+)?|worker)\.ts$|^(workers|commands|simulator)\//
  const wrong = having(/\.transaction\(/).filter((path) => !isOperation.test(path) && !transactionPlaces[path])
  assert.deepEqual(wrong, [])
})

test('no statement selects every column', () => {
  assert.deepEqual(having(/select\s+(\w+\.)?\*/i), [])
  assert.deepEqual(
    migrations()
      .filter(({ text }) => /select\s+(\w+\.)?\*/i.test(text))
      .map(({ name }) => name),
    [],
  )
})

/** Who may look at the wall clock, and what for. All other instants come from `deps.now()`. */
const wallClockPlaces: Readonly<Record<string, string>> = {
  'clock.ts': 'the service clock is the wall clock plus an offset',
  'log.ts': 'a line of the log says when it was really written',
  'http/idempotency.ts': 'the lease of a claim',
  'workers/store.ts': 'heartbeats',
  'webhooks/inbox/operations.ts': 'checks X-Webhook-Timestamp as a receiver does',
  'webhooks/request.ts': 'the receiver compares X-Webhook-Timestamp with its own clock',
  'auth/cookie.ts': 'sign-in',
  'auth/limits.ts': 'sign-in',
  'auth/operations.ts': 'sign-in',
  'auth/store.ts': 'sign-in',
  'auth/tokens.ts': 'sign-in',
  'http/rate-limit-store.ts': 'a limit is per real second',
  'commands/doctor.ts': 'compares the clocks of the machine and of the database',
  'payout-recipients/store.ts': 'the limit of look-ups',
  'virtual-accounts/question-store.ts': 'the pace at which providers are asked',
  'simulator/payouts.ts': 'the outside world has no other clock',
  'simulator/notices.ts': 'the outside world has no other clock',
  'simulator/virtual-accounts.ts': 'the outside world has no other clock',
  'simulator/collections.ts': 'the outside world has no other clock',
  'simulator/collection-book.ts': 'the outside world has no other clock',
  'db/migrate.ts': 'says when a migration was really applied',
}

test('business time comes from the service clock', () => {
  const wall = /Date\.now\(|new Date\(\)|\bwallNow\(|\bclock_timestamp\(\)/
  assert.deepEqual(
    having(wall).filter((path) => !wallClockPlaces[path]),
    [],
    'use deps.now(), or list the file with its reason',
  )
  const inSql = /\bnow\(\)|current_timestamp|transaction_timestamp|localtimestamp/i
  const statements = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/(?:sql(?:<[^`]*?>)?|statement(?:<[^`]*?>)?\(\s*)`([^`]*)`/g)].map(([, body]) => [path, body!]),
  )
  assert.deepEqual(
    statements.filter(([, body]) => inSql.test(body!)).map(([path]) => path),
    [],
  )
  assert.deepEqual(
    migrations()
      .filter(({ text }) => inSql.test(text))
      .map(({ name }) => name),
    [],
  )
})

function having(pattern: RegExp): string[] {
  return sources.filter(({ text }) => pattern.test(withoutComments(text))).map(({ path }) => path)
}

function withoutComments(text: string): string {
  return text.replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '')
}

function migrations(): { name: string; text: string }[] {
  return globSync('server/migrations/*.sql', { cwd: checkoutDir })
    .toSorted()
    .map((path) => ({ name: basename(path), text: readFileSync(join(checkoutDir, path), 'utf8') }))
}

test('each migration is numbered once and begins by saying what it is about', () => {
  const names = migrations().map(({ name }) => name)
  assert.deepEqual(
    names.filter((name) => !/^\d{4}_[a-z0-9_]+\.sql$/.test(name)),
    [],
  )
  const numbers = names.map((name) => name.slice(0, 4))
  assert.deepEqual(numbers, [...new Set(numbers)])
  assert.deepEqual(
    migrations()
      .filter(({ text }) => !/^-- [A-Z]/.test(text))
      .map(({ name }) => name),
    [],
  )
})

test('names say what a thing is', () => {
  const vague = /(^|[/-])(utils?|helpers?|managers?|common|misc|data)([/.-]|$)/
  assert.deepEqual(
    everything.map(({ path }) => path).filter((path) => vague.test(path)),
    [],
  )
})

const MOST_LINES = 300
/** Files that are longer all the same. A number here may only shrink; no line may be added. */
const longer: Readonly<Record<string, number>> = {}

test('files stay short', () => {
  const files = globSync('{server,bench,web}/**/*.ts', {
    cwd: checkoutDir,
    exclude: (path) => basename(path) === 'node_modules',
  })
  const found = Object.fromEntries(
    files
      .map((path) => [path, readFileSync(join(checkoutDir, path), 'utf8').split('\n').length - 1] as const)
      .filter(([, lines]) => lines > MOST_LINES),
  )
  const grown = Object.entries(found).filter(([path, lines]) => lines > (longer[path] ?? MOST_LINES))
  assert.deepEqual(grown, [], `split them: a file has at most ${MOST_LINES} lines`)
  const shrunk = Object.entries(longer).filter(([path, lines]) => (found[path] ?? 0) < lines)
  assert.deepEqual(shrunk, [], 'lower their numbers in this table')
})
