import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { publicCopy } from './binaries.ts'

/** How PostgreSQL's programs are started: as whom, from where, and where its files are. */
export type Account = {
  readonly native: string
  readonly clusterDir: string
  /** Wraps a command line so that it runs as a user PostgreSQL accepts. */
  command(program: string, args: readonly string[]): readonly [string, readonly string[]]
  readonly identity: { readonly uid?: number; readonly gid?: number }
  /** Something the person at the terminal should know. */
  readonly notice?: string
}

const NOBODY = 65_534

/**
 * PostgreSQL refuses to run as root. As root we show it another user id in a user namespace of its own: the files stay
 * root's and folders of mode 0700 stay closed. Where namespaces are forbidden, the system's "nobody" runs it.
 */
export function chooseAccount(native: string, dataDir: string): Account {
  const plain: Account = {
    native,
    clusterDir: join(dataDir, 'postgres'),
    command: (program, args) => [program, args],
    identity: {},
  }
  if (process.getuid?.() !== 0) return plain
  const namespace = ['--user', '--map-user=1000', '--map-group=1000', '--']
  if (spawnSync('unshare', [...namespace, 'true'], { stdio: 'ignore' }).status === 0) {
    return { ...plain, command: (program, args) => ['unshare', [...namespace, program, ...args]] }
  }
  return asNobody(native, dataDir, plain)
}

function asNobody(native: string, dataDir: string, plain: Account): Account {
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  const parent = join('/var/tmp', `kolo-${name}`)
  mkdirSync(parent, { recursive: true, mode: 0o711 })
  // Anybody may write to /var/tmp: what stands there under this name must be ours before programs are run from it.
  const { uid, mode } = lstatSync(parent)
  if (uid !== 0 || (mode & 0o022) !== 0)
    throw new Error(
      `${parent} does not belong to root alone. Remove it, or set DATABASE_URL to a PostgreSQL of your own.`,
    )
  const clusterDir = join(parent, 'postgres')
  return {
    ...plain,
    native: publicCopy(native, parent),
    clusterDir,
    identity: { uid: NOBODY, gid: NOBODY },
    notice: `PostgreSQL does not run as root and this system forbids user namespaces: it runs as "nobody", with its files in ${clusterDir}.`,
  }
}
