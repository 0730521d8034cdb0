/** What can be listened with: Fastify, or the simulator. Answers the port it got. */
export type Listen = (host: string, port: number) => Promise<number>

const PORTS_TRIED = 100

/** On the next free port from `first` on; undefined when none of them is free. Listening itself is the test: no race. */
export async function listenOnFreePort(listen: Listen, host: string, first: number): Promise<number | undefined> {
  for (let port = first; port < first + PORTS_TRIED; port += 1) {
    const got = await listenOn(listen, host, port)
    if (got !== undefined) return got
  }
  return undefined
}

/** On one port; undefined when another program uses it. */
export async function listenOn(listen: Listen, host: string, port: number): Promise<number | undefined> {
  try {
    return await listen(host, port)
  } catch (error) {
    if ((error as { code?: string }).code === 'EADDRINUSE') return undefined
    throw error
  }
}
