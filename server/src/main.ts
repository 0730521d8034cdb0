import { audit } from './commands/audit.ts'
import { inboxAssign, inboxList, inboxReturn } from './commands/inbox.ts'
import { keyCreate, keyList, keyRevoke } from './commands/keys.ts'
import { memberCreate, memberReset } from './commands/members.ts'
import { orgCreate, orgSetActive } from './commands/organizations.ts'
import { runMigrate } from './commands/migrate.ts'
import { say, UsageError } from './commands/output.ts'
import { secretsRotate } from './commands/secrets.ts'
import { start } from './commands/start.ts'
import { doctor } from './commands/doctor.ts'
import { ConfigError } from './config.ts'
import { Refusal } from './errors.ts'

const usage = `kolo <command>

  start [--role api|worker|simulator|all]      run the service; the embedded PostgreSQL too where DATABASE_URL is unset
  migrate                                      bring the schema up to date
  org create --name N [--email E] [--json]     make an organization, its owner and a key
  org close|open --id ID                       refuse or accept an organization's keys and transfers to it
  key create --org ID [--name N] [--scopes S]  make an API key
  key list --org ID [--json]                   list API keys and their last use
  key revoke --org ID --id ID                  refuse an API key from now on
  member create --org ID --email E [--role R]  make a member who can sign in
  member reset --email E [--json]              give a member a new password and end all sessions
  audit [--org ID] [--json]                    recompute books and audit logs, and name what is not what was written
  inbox list [--json]                          list notices of providers that wait for a person
  inbox assign --id ID --account NUMBER        credit an unmatched transfer to the account of this number
  inbox return --id ID [--by-hand]             send an unmatched transfer back to its payer
  secrets rotate                               seal everything again under the first key of KOLO_MASTER_KEY
  doctor [--json]                              say what is wrong and what to do about it`

type Command = (args: string[]) => Promise<void>

const commands: Readonly<Record<string, Command>> = {
  start,
  migrate: runMigrate,
  'org create': orgCreate,
  'org close': (args) => orgSetActive(args, false),
  'org open': (args) => orgSetActive(args, true),
  'key create': keyCreate,
  'key list': keyList,
  'key revoke': keyRevoke,
  'member create': memberCreate,
  'member reset': memberReset,
  audit,
  'inbox list': inboxList,
  'inbox assign': inboxAssign,
  'inbox return': inboxReturn,
  'secrets rotate': secretsRotate,
  doctor,
  help: async () => say(usage),
}

/** Finds the command in the first one or two words and runs it with the rest. */
async function main(words: string[]): Promise<void> {
  if (words.length === 0 || words.includes('--help')) return say(usage)
  const name = [words.slice(0, 2).join(' '), words[0]!].find((candidate) => Object.hasOwn(commands, candidate))
  if (!name) throw new UsageError(`There is no command "${words.join(' ')}".\n\n${usage}`)
  await commands[name]!(words.slice(name.split(' ').length))
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${describe(error)}\n`)
  process.exit(1)
}

/** Expected faults are a sentence; our own bugs show where they come from. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const isExpected =
    error instanceof UsageError ||
    error instanceof ConfigError ||
    error instanceof Refusal ||
    'code' in error ||
    error.cause !== undefined
  return isExpected ? error.message : (error.stack ?? error.message)
}
