import { lookup as systemLookup, Resolver } from 'node:dns/promises'

/** Every address of a name. */
export type NameLookup = (hostname: string) => Promise<readonly string[]>

/** The system's own look-up occupies one of four threads; names that answer slowly may have this many of them. */
const MAX_SYSTEM_LOOKUPS = 2

/** What localhost and the names below it stand for (RFC 6761). */
const loopback = ['127.0.0.1', '::1'] as const

/**
 * Asks DNS without a thread, so that a thousand names that do not answer hold nobody up; what DNS does not know may
 * still stand in the machine's hosts file. Who asks for a name that is being looked up shares the answer: a herd of
 * deliveries to one host is one question, not one each for a name server that counts them.
 */
export function createNameLookup(servers?: readonly string[]): NameLookup {
  const resolver = new Resolver({ timeout: 5_000, tries: 3 })
  if (servers) resolver.setServers(servers)
  const withSystem = limited(MAX_SYSTEM_LOOKUPS)
  const asked = new Map<string, Promise<readonly string[]>>()

  async function ask(hostname: string): Promise<readonly string[]> {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length > 0) return addresses
    const failure = answers.find((answer) => answer.status === 'rejected')!.reason as NodeJS.ErrnoException
    if (!['ENOTFOUND', 'ENODATA', 'ECONNREFUSED'].includes(failure.code ?? '')) throw failure
    const found = await withSystem(() => systemLookup(hostname, { all: true }))
    return found.map(({ address }) => address)
  }

  return async (hostname) => {
    // Never asked over the network: a machine without a name server still reaches itself.
    if (/(^|\.)localhost$/i.test(hostname)) return loopback
    const answer = asked.get(hostname) ?? ask(hostname).finally(() => asked.delete(hostname))
    asked.set(hostname, answer)
    return answer
  }
}

function limited(most: number) {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
