import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { checkoutDir } from '../config.ts'
import { browserScript } from '../http/browser-script.ts'

const folder = join(checkoutDir, 'web', 'checkout')

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

export type Encoding = 'br' | 'gzip' | 'identity'
export type Asset = { readonly type: string; readonly bodies: Readonly<Record<Encoding, Buffer>> }

/** What the page loads, read once. The address carries a hash of all of it, so that it may be kept for ever. */
export type Assets = {
  /** Modules the script imports: asked for with the page, not one after another. */
  readonly modules: readonly string[]
  urlOf(name: string): string
  find(version: string, name: string): Asset | undefined
}

export function readAssets(): Assets {
  const sources = readdirSync(folder)
    .filter((file) => /\.(ts|css|svg)$/.test(file))
    .toSorted()
    .map(readSource)
  const hash = createHash('sha256')
  for (const { name, text } of sources) hash.update(`${name}\n${text}\n`)
  const version = hash.digest('hex').slice(0, 16)
  const byName = new Map(sources.map(({ name, text }) => [name, assetOf(name, text)]))
  return {
    modules: [...byName.keys()].filter((name) => name.endsWith('.js') && name !== 'page.js'),
    urlOf: (name) => `/pay/assets/${version}/${name}`,
    find: (wanted, name) => (wanted === version ? byName.get(name) : undefined),
  }
}

/** Modules find each other in the same folder. */
function readSource(file: string): { name: string; text: string } {
  const text = readFileSync(join(folder, file), 'utf8')
  if (!file.endsWith('.ts')) return { name: file, text }
  const script = browserScript(text).replace(/(from '\.\/[a-z-]+)\.ts'/g, "$1.js'")
  return { name: file.replace(/\.ts$/, '.js'), text: script }
}

function assetOf(name: string, text: string): Asset {
  const body = Buffer.from(text)
  return {
    type: types[name.slice(name.lastIndexOf('.') + 1)]!,
    bodies: { identity: body, gzip: gzipSync(body, { level: 9 }), br: brotliCompressSync(body) },
  }
}

/** The best encoding the browser takes. */
export function encodingFor(accepted: string | undefined): Encoding {
  const names = (accepted ?? '').split(',').map((part) => part.split(';')[0]!.trim())
  return names.includes('br') ? 'br' : names.includes('gzip') ? 'gzip' : 'identity'
}
