import { createHmac, timingSafeEqual } from 'node:crypto'
import { Agent, request, type Dispatcher } from 'undici'
import type { Reply, Unknown } from '../rail.ts'

export type SandboxConnection = {
  /** Where the provider listens; undefined while it is not known. */
  readonly url: () => Promise<string | undefined>
  /** Where the provider sends its notices. */
  readonly noticeUrl: (rail: string) => Promise<string | undefined>
  readonly secret: string
  readonly timeoutMs: number
}

export type SandboxClient = {
  /** Asks; a 2xx is answered, a 4xx refused with the provider's reason, everything else unknown. */
  ask<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<Reply<T>>
  readonly connection: SandboxConnection
}

const MAX_ANSWER_BYTES = 1024 * 1024

/** The provider answers, and says that whoever stands behind it does not. */
const UPSTREAM_UNAVAILABLE = 'upstream_unavailable'

export function createClient(
  connection: SandboxConnection,
  dispatcher: Dispatcher = new Agent({ connections: 256, pipelining: 1, keepAliveTimeout: 10_000 }),
): SandboxClient {
  async function send<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<Reply<T>> {
    const origin = await connection.url()
    if (!origin) return { state: 'unknown', cause: 'the provider has no address yet', isUnsent: true }
    const answer = await request(`${origin}${path}`, {
      method,
      dispatcher,
      signal: AbortSignal.timeout(connection.timeoutMs),
      headers: { authorization: `Bearer ${connection.secret}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.body.text()
    if (text.length > MAX_ANSWER_BYTES) return { state: 'unknown', cause: 'the answer was too long' }
    if (answer.statusCode >= 500) return unknown(answer.statusCode, text)
    const value = JSON.parse(text) as T & { reason?: string }
    if (answer.statusCode >= 400) return { state: 'refused', reason: value.reason ?? `status ${answer.statusCode}` }
    return { state: 'answered', value }
  }

  return {
    connection,
    async ask(method, path, body) {
      try {
        return await send(method, path, body)
      } catch (error) {
        const { name, message } = error as Error
        return {
          state: 'unknown',
          cause: name === 'TimeoutError' ? `no answer within ${connection.timeoutMs} ms` : message,
        }
      }
    },
  }
}

/** What the provider says in words nobody knows is as good as silence: nothing is concluded from it. */
export function notUnderstood(cause: string): Unknown {
  return { state: 'unknown', cause, isHeard: true }
}

/** An answer whose shape is as it should be; anything else is not understood. */
export function understood<T>(reply: Reply<T>, isWhole: (value: T) => boolean): Reply<T> {
  if (reply.state !== 'answered' || isWhole(reply.value)) return reply
  return notUnderstood('the provider answers in a shape that is not known')
}

/** An instant the provider names; undefined where it names none. */
export function instantOf(text: unknown): Date | undefined {
  const at = new Date(typeof text === 'string' ? text : Number.NaN)
  return Number.isNaN(at.getTime()) ? undefined : at
}

function unknown(status: number, text: string): Unknown {
  const isHeard = text.includes(`"${UPSTREAM_UNAVAILABLE}"`)
  return { state: 'unknown', cause: `the provider answered ${status}`, ...(isHeard && { isHeard }) }
}

/** Whether a notice was signed by the provider: HMAC-SHA256 over `{timestamp}.{body}`, compared in constant time. */
export function isSigned(secret: string, headers: Readonly<Record<string, string | undefined>>, body: Buffer): boolean {
  const { 'x-provider-timestamp': timestamp, 'x-provider-signature': signature } = headers
  if (!timestamp || !signature) return false
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
  return signature.length === expected.length && timingSafeEqual(Buffer.from(signature), Buffer.from(expected))
}
