import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a running PostgreSQL wrote about itself into its data folder. */
export type Postmaster = { readonly pid: number; readonly port: number }

/** The PostgreSQL that runs on this folder; undefined when the lock file is stale or there is none. */
export function findPostmaster(clusterDir: string): Postmaster | undefined {
  const postmaster = readLock(clusterDir)
  return postmaster && isServerOf(postmaster.pid, clusterDir) ? postmaster : undefined
}

function readLock(clusterDir: string): Postmaster | undefined {
  const file = join(clusterDir, 'postmaster.pid')
  if (!existsSync(file)) return undefined
  const lines = readFileSync(file, 'utf8').split('\n')
  const [pid, port] = [Math.abs(Number(lines[0])), Number(lines[3])]
  return Number.isInteger(pid) && pid > 0 && Number.isInteger(port) ? { pid, port } : undefined
}

/**
 * Removes a lock file whose process id now belongs to a stranger: PostgreSQL trusts the id and would never start. The
 * lock of a dead process is left to PostgreSQL, which looks whether children of the dead one still hold its memory.
 */
export function removeStrangersLock(clusterDir: string): void {
  const lock = readLock(clusterDir)
  const file = join(clusterDir, 'postmaster.pid')
  if (!lock) return rmSync(file, { force: true })
  if (commandOf(lock.pid).length > 0 && !isServerOf(lock.pid, clusterDir)) rmSync(file, { force: true })
}

function isServerOf(pid: number, clusterDir: string): boolean {
  const words = commandOf(pid)
  if (words.length === 0) return false
  // Where a command line cannot be read, PostgreSQL's own check has to do.
  if (words[0] === UNREADABLE) return true
  const folder = words[words.indexOf('-D') + 1]
  return folder !== undefined && existsSync(folder) && realpathSync(folder) === realpathSync(clusterDir)
}

const UNREADABLE = '?'

/** The words of a process's command line; none when there is no such process. */
function commandOf(pid: number): string[] {
  const file = `/proc/${pid}/cmdline`
  if (existsSync('/proc/self/cmdline')) {
    return existsSync(file) ? readFileSync(file, 'utf8').split('\0').filter(Boolean) : []
  }
  const ps = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  return ps.error ? [UNREADABLE] : ps.stdout.trim().split(' ').filter(Boolean)
}

type Owner = { readonly pid: number; readonly command: string }

/** Writes down that this process, among others, answers for the PostgreSQL of a data folder. */
export function joinOwners(dataDir: string): void {
  const own = { pid: process.pid, command: commandOf(process.pid).join(' ') }
  writeOwners(dataDir, [...otherOwners(dataDir), own])
}

/** Takes this process out again; answers whether it was the last that answered for it. */
export function leaveOwners(dataDir: string): boolean {
  const isOwner = readOwners(dataDir).some(({ pid }) => pid === process.pid)
  const others = otherOwners(dataDir)
  if (isOwner) writeOwners(dataDir, others)
  return isOwner && others.length === 0
}

/** Whether a process that answers for it still lives. One that was killed leaves PostgreSQL running without anyone. */
export function hasOwner(dataDir: string): boolean {
  return readOwners(dataDir).some(isAlive)
}

function otherOwners(dataDir: string): Owner[] {
  return readOwners(dataDir).filter((owner) => owner.pid !== process.pid && isAlive(owner))
}

function isAlive({ pid, command }: Owner): boolean {
  return commandOf(pid).join(' ') === command
}

function readOwners(dataDir: string): Owner[] {
  try {
    return [JSON.parse(readFileSync(ownerFile(dataDir), 'utf8')) as Owner | Owner[]].flat()
  } catch {
    return []
  }
}

function writeOwners(dataDir: string, owners: readonly Owner[]): void {
  writeFileSync(ownerFile(dataDir), JSON.stringify(owners), { mode: 0o600 })
}

function ownerFile(dataDir: string): string {
  return join(dataDir, 'postgres-owner')
}
