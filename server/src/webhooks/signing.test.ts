import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkoutDir } from '../config.ts'
import { newSecret, signatureOf, type SignaturePrefix } from './signing.ts'

type Vector = {
  name: string
  secret: string
  timestamp: number
  body?: string
  /** A body too long to write out: a piece, repeated. */
  bodyRepeated?: { before: string; piece: string; times: number; after: string }
  prefix: SignaturePrefix
  signature: string
}

const { vectors } = JSON.parse(readFileSync(join(checkoutDir, 'spec/webhook-vectors.json'), 'utf8')) as {
  vectors: Vector[]
}

function bodyOf({ body, bodyRepeated: repeated }: Vector): string {
  return repeated ? repeated.before + repeated.piece.repeat(repeated.times) + repeated.after : body!
}

test('there are vectors for what goes wrong: unicode, a megabyte, empty data, both prefixes', () => {
  assert(vectors.length >= 12)
  assert(vectors.some((vector) => bodyOf(vector).length >= 1_000_000))
  assert.deepEqual([...new Set(vectors.map(({ prefix }) => prefix))].toSorted(), ['sha256', 'v1'])
})

for (const vector of vectors) {
  test(`the signature of the vector "${vector.name}"`, () => {
    const { secret, timestamp, prefix, signature } = vector
    assert.equal(signatureOf(secret, timestamp, bodyOf(vector), prefix), signature)
    assert.equal(signatureOf(secret, timestamp, Buffer.from(bodyOf(vector)), prefix), signature)
    const digest = createHmac('sha256', secret)
      .update(`${timestamp}.${bodyOf(vector)}`)
      .digest('hex')
    assert.equal(signature, `${prefix}=${digest}`)
  })
}

test('a made secret is whsec_ and 32 random bytes', () => {
  const secrets = Array.from({ length: 100 }, newSecret)
  assert(secrets.every((secret) => Buffer.from(secret.slice('whsec_'.length), 'base64url').length === 32))
  assert.equal(new Set(secrets).size, 100)
})
