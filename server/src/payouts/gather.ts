/** Does one thing of a key; answers or throws for it alone. */
type Gathered<Item, End> = (key: string, item: Item) => Promise<End>
type Waiting<Item, End> = { readonly item: Item; resolve(end: End): void; reject(error: unknown): void }

/**
 * Does things of one key one batch after the other: the first at once, and what comes meanwhile together, when that is
 * done. Nothing waits where nothing is under way, and things of different keys never wait for each other. `work` answers
 * an end or an error for each; what it throws is the end of all.
 */
export function gatherBy<Item, End>(
  most: number,
  work: (key: string, items: readonly Item[]) => Promise<readonly (End | Error)[]>,
): Gathered<Item, End> {
  const queues = new Map<string, Waiting<Item, End>[]>()

  async function run(key: string, batch: readonly Waiting<Item, End>[]): Promise<void> {
    try {
      const ends = await work(
        key,
        batch.map(({ item }) => item),
      )
      batch.forEach(({ resolve, reject }, index) => {
        const end = ends[index]!
        if (end instanceof Error) reject(end)
        else resolve(end)
      })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    const waiting = queues.get(key)!
    if (waiting.length > 0) void run(key, waiting.splice(0, most))
    else queues.delete(key)
  }

  return (key, item) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(key)
      if (queue) return queue.push({ item, resolve, reject })
      queues.set(key, [])
      return void run(key, [{ item, resolve, reject }])
    })
}
