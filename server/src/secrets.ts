import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { MasterKey } from './config.ts'

/** Secrets at rest: AES-256-GCM under the master key, bound to what they belong to. */
export type Secrets = {
  /** Encrypts for one place (`context`): a value moved to another row does not open there. */
  seal(plain: string, context: string): string
  open(sealed: string, context: string): string
  /** The id of the key new values are sealed with. */
  readonly keyId: string
  /** How every value sealed under the current key begins. */
  readonly sealedBeginning: string
  /** Whether a key of this id is configured. */
  knows(keyId: string): boolean
  /** A keyed digest for one purpose; `keyId` names an older master key where one made the digest. */
  mac(purpose: string, content: string | Buffer, keyId?: string): Buffer
  /** Whether this is the digest of the content under any configured key, also one that is on its way out. */
  isMac(digest: Buffer, purpose: string, content: string | Buffer): boolean
}

const VERSION = 'v1'

export function createSecrets(masterKeys: readonly MasterKey[]): Secrets {
  const [current] = masterKeys
  if (!current) throw new Error('createSecrets needs at least one master key.')
  const derived = new Map<string, Buffer>()

  function keyFor(keyId: string, purpose: string): Buffer {
    const cacheKey = `${keyId}/${purpose}`
    const known = derived.get(cacheKey)
    if (known) return known
    const master = masterKeys.find((key) => key.id === keyId)
    if (!master)
      throw new Error(`A stored secret names the master key "${keyId}", which KOLO_MASTER_KEY does not list.`)
    const key = Buffer.from(hkdfSync('sha256', master.key, '', `kolo/${purpose}`, 32))
    derived.set(cacheKey, key)
    return key
  }

  function mac(purpose: string, content: string | Buffer, keyId = current!.id): Buffer {
    return createHmac('sha256', keyFor(keyId, `mac/${purpose}`))
      .update(content)
      .digest()
  }

  return {
    mac,
    isMac: (digest, purpose, content) => masterKeys.some(({ id }) => mac(purpose, content, id).equals(digest)),
    keyId: current.id,
    sealedBeginning: `${VERSION}.${current.id}.`,
    knows: (keyId) => masterKeys.some(({ id }) => id === keyId),
    seal(plain, context) {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', keyFor(current.id, 'secrets'), iv).setAAD(Buffer.from(context))
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return [VERSION, current.id, ...[iv, cipher.getAuthTag(), text].map((part) => part.toString('base64url'))].join(
        '.',
      )
    },
    open(sealed, context) {
      const [version, keyId, iv, tag, text] = sealed.split('.')
      if (version !== VERSION || !keyId || !iv || !tag || text === undefined)
        throw new Error('A stored secret is malformed.')
      const decipher = createDecipheriv('aes-256-gcm', keyFor(keyId, 'secrets'), Buffer.from(iv, 'base64url'))
        .setAAD(Buffer.from(context))
        .setAuthTag(Buffer.from(tag, 'base64url'))
      return decipher.update(Buffer.from(text, 'base64url'), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}
