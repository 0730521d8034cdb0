import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Config } from '../config.ts'
import { parseTable, type RateTable } from './table.ts'

/** Where exchange rates come from. Whatever it is, it is read in the background, never while somebody waits. */
export type RateSource = {
  /** What stands on records made at its rates. Carries no credential. */
  readonly name: string
  read(): Promise<RateTable>
}

const TIMEOUT_MS = 10_000
/** A table of all currencies of the world is some 5 KB. */
const MAX_BYTES = 1024 * 1024

/** The configured source; undefined where none is. */
export function configuredSource({
  ratesUrl,
  ratesFile,
}: Pick<Config, 'ratesUrl' | 'ratesFile'>): RateSource | undefined {
  if (ratesUrl) return httpSource(ratesUrl)
  return ratesFile ? fileSource(ratesFile) : undefined
}

export function httpSource(url: string): RateSource {
  // The address may carry a key in its path or query: only the host is ever shown.
  const name = `http:${new URL(url).host}`
  return {
    name,
    async read() {
      const response = await fetch(url, {
        signal: AbortSignal.timeout(TIMEOUT_MS),
        redirect: 'error',
        headers: { accept: 'application/json' },
      })
      if (!response.ok) {
        await response.body?.cancel()
        throw new Error(`${name} answered ${response.status}`)
      }
      return parseTable(await textOf(response, name), name)
    },
  }
}

async function textOf(response: Response, name: string): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += part.byteLength
    if (bytes > MAX_BYTES) throw new Error(`${name} answered more than ${MAX_BYTES} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

export function fileSource(path: string): RateSource {
  const name = `file:${basename(path)}`
  return {
    name,
    async read() {
      if ((await stat(path)).size > MAX_BYTES) throw new Error(`${name} has more than ${MAX_BYTES} bytes`)
      return parseTable(await readFile(path, 'utf8'), name)
    },
  }
}
