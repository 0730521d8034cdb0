import { existsSync, readFileSync, rmSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** What a running PostgreSQL wrote about itself into its data folder. */
export type Postmaster = { readonly pid: number; readonly port: number }

export function readPostmaster(clusterDir: string): Postmaster | undefined {
  const file = join(clusterDir, 'postmaster.pid')
  if (!existsSync(file)) return undefined
  const lines = readFileSync(file, 'utf8').split('\n')
  const [pid, port] = [Number(lines[0]), Number(lines[3])]
  return Number.isInteger(pid) && Number.isInteger(port) ? { pid: Math.abs(pid), port } : undefined
}

/**
 * Removes the lock file a crashed PostgreSQL left behind. PostgreSQL itself trusts the process id in it, so a stranger
 * that was given the same id would keep it from starting for ever: we look at what that process really is.
 */
export function removeStaleLock(clusterDir: string): void {
  const postmaster = readPostmaster(clusterDir)
  const file = join(clusterDir, 'postmaster.pid')
  if (!postmaster) return rmSync(file, { force: true })
  if (!commandOf(postmaster.pid).includes('postgres')) rmSync(file, { force: true })
}

function commandOf(pid: number): string {
  const proc = `/proc/${pid}/cmdline`
  if (existsSync('/proc/self/cmdline')) return existsSync(proc) ? readFileSync(proc, 'utf8') : ''
  // Without /proc: ask ps where there is one; elsewhere (Windows) PostgreSQL's own check has to do.
  const ps = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  return ps.error ? 'postgres' : ps.stdout
}
