import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config, MasterKey } from './config.ts'
import type { PrivateJwk } from './setting-readers.ts'

/** The keys a deployment works with: configured ones, or, outside production, ones made once in the data folder. */
export type Keys = { readonly masterKeys: readonly MasterKey[]; readonly jwtKeys: readonly PrivateJwk[] }

type Kept = { masterKey: string; jwtKeys: PrivateJwk[] }

export function keysOf(config: Config): Keys {
  const { masterKeys, jwtKeys } = config
  if (masterKeys && jwtKeys) return { masterKeys, jwtKeys }
  const kept = readOrMake(config.dataDir)
  return {
    masterKeys: masterKeys ?? [{ id: 'local', key: Buffer.from(kept.masterKey, 'base64') }],
    jwtKeys: jwtKeys ?? kept.jwtKeys,
  }
}

function readOrMake(dataDir: string): Kept {
  const file = join(dataDir, 'keys.json')
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
    const keys = { masterKey: randomBytes(32).toString('base64'), jwtKeys: [{ ...jwk, kid: 'local' }] }
    writeWhole(file, JSON.stringify(keys, null, 2))
  }
  return JSON.parse(readFileSync(file, 'utf8')) as Kept
}

/** Writes a private file so that a reader, or a crash, never meets half of it. */
export function writeWhole(file: string, text: string): void {
  const aside = `${file}.${process.pid}`
  writeFileSync(aside, text, { mode: 0o600 })
  renameSync(aside, file)
}
