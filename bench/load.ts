import { randomUUID } from 'node:crypto'
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'
import { Pool } from 'undici'

export type Load = {
  readonly origin: string
  readonly path: string
  readonly method?: 'GET' | 'POST'
  /** `{unique}` in a value, or in the body, becomes a new name for each request. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly connections: number
  readonly seconds: number
}

/** Asks for one address over and over from a thread of its own, so that asking does not slow down answering. */
export async function answersPerSecond(load: Load): Promise<number> {
  const worker = new Worker(new URL(import.meta.url), { workerData: load })
  return new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

async function ask({ origin, path, method = 'GET', headers, body, connections, seconds }: Load): Promise<number> {
  const pool = new Pool(origin, { connections })
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  let answers = 0
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < endsAt) {
        const unique = randomUUID()
        const fill = (text: string) => text.replaceAll('{unique}', unique)
        const filled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]))
        const sent = body === undefined ? {} : { body: fill(body) }
        const { statusCode, body: answer } = await pool.request({ path, method, headers: filled, ...sent })
        await answer.dump()
        if (statusCode >= 300) throw new Error(`${path} answered ${statusCode}`)
        answers += 1
      }
    }),
  )
  await pool.close()
  return answers / ((performance.now() - startedAt) / 1000)
}

if (!isMainThread) parentPort?.postMessage(await ask(workerData as Load))
