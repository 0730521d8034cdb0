import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

export type Certificate = { readonly key: string; readonly cert: string }
type Wish = { readonly notBefore: Date; readonly notAfter: Date; readonly isTrusted?: boolean }

/** A self-signed certificate for a name, written by hand in DER; trusted by this process where asked. */
export function makeCertificate(name: string, { notBefore, notAfter, isTrusted = false }: Wish): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const body = tbs(name, publicKey, notBefore, notAfter)
  const signature = sign('sha256', body, privateKey)
  const der = sequence(body, ecdsaWithSha256, encoded(0x03, Buffer.from([0]), signature))
  const cert = `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replaceAll(/(.{64})(?=.)/g, '$1\n')}\n-----END CERTIFICATE-----\n`
  if (isTrusted) setDefaultCACertificates([...getCACertificates('default'), cert])
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }), cert }
}

function tbs(name: string, publicKey: KeyObject, notBefore: Date, notAfter: Date): Buffer {
  const subject = sequence(encoded(0x31, sequence(oid('550403'), encoded(0x0c, Buffer.from(name)))))
  const alternative = sequence(oid('551d11'), encoded(0x04, sequence(encoded(0x82, Buffer.from(name)))))
  const authority = sequence(oid('551d13'), encoded(0x04, sequence(encoded(0x01, Buffer.from([0xff])))))
  return sequence(
    encoded(0xa0, encoded(0x02, Buffer.from([2]))),
    encoded(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    subject,
    sequence(time(notBefore), time(notAfter)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    encoded(0xa3, sequence(alternative, authority)),
  )
}

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'))

function sequence(...parts: Buffer[]): Buffer {
  return encoded(0x30, ...parts)
}

function oid(hex: string): Buffer {
  return encoded(0x06, Buffer.from(hex, 'hex'))
}

function time(at: Date): Buffer {
  return encoded(0x17, Buffer.from(`${at.toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`))
}

/** A tag, the length, the content. */
function encoded(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
