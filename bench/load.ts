import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'
import { Pool } from 'undici'

export type Load = {
  readonly origin: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
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

async function ask({ origin, path, headers, connections, seconds }: Load): Promise<number> {
  const pool = new Pool(origin, { connections })
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  let answers = 0
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < endsAt) {
        const { statusCode, body } = await pool.request({ path, method: 'GET', headers })
        await body.dump()
        if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`)
        answers += 1
      }
    }),
  )
  await pool.close()
  return answers / ((performance.now() - startedAt) / 1000)
}

if (!isMainThread) parentPort?.postMessage(await ask(workerData as Load))
