import assert from 'node:assert/strict'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export type Received = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly event: { id: string; type: string; createdAt: string; data: Record<string, unknown> }
}

/** Answers a delivery; the default is a 200. */
export type Answer = (response: ServerResponse, received: Received) => void

export type Receiver = {
  readonly url: string
  readonly received: Received[]
  /** What the next deliveries are answered with. */
  answer(answer: Answer | number): void
  close(): Promise<void>
}

/** A real HTTP server that webhooks are delivered to. Ends with the test. */
export async function createReceiver(t?: TestContext): Promise<Receiver> {
  const received: Received[] = []
  let answer: Answer = (response) => response.end('ok')
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString()
      const one = {
        path: request.url ?? '',
        headers: request.headers,
        body,
        event: JSON.parse(body) as Received['event'],
      }
      received.push(one)
      answer(response, one)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  t?.after(close)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer(next) {
      answer = typeof next === 'number' ? (response) => response.writeHead(next).end(`said ${next}`) : next
    },
    close,
  }
}

/** The interface's recommended receiver checks, written from its words alone. */
export function verify({ headers, body }: Pick<Received, 'headers' | 'body'>, secret: string): void {
  const [signature, timestamp] = [headers['x-webhook-signature'], headers['x-webhook-timestamp']]
  assert(typeof signature === 'string' && typeof timestamp === 'string', 'both headers are present')
  assert(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300, 'the timestamp is within 300 seconds')
  const given = Buffer.from(signature.replace(/^(sha256|v1)=/, ''), 'hex')
  const expected = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest()
  assert(given.length === expected.length && timingSafeEqual(given, expected), 'the digest is the expected one')
}
