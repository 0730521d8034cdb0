type Waiting<Item, End> = { readonly item: Item; resolve(end: End): void; reject(error: unknown): void }

export type GatherOptions = {
  /** Items of one batch. */
  readonly most: number
  /** Batches under way at once. */
  readonly lanes: number
}

/**
 * Does things at once while there is a free lane, and what comes meanwhile together, as soon as there is one. Things of
 * one key are done one batch after the other, so that a key that is stuck holds up the batch it is in and no second one.
 * `work` answers an end or an error for each; what it throws is the end of all.
 */
export function gather<Item, End>(
  { most, lanes }: GatherOptions,
  work: (items: readonly Item[]) => Promise<readonly (End | Error)[]>,
): (key: string, item: Item) => Promise<End> {
  const queues = new Map<string, Waiting<Item, End>[]>()
  const busy = new Set<string>()
  let running = 0

  /** Takes what may be done now, key by key; a key with more than fits stands last the next time. */
  function take(): { keys: readonly string[]; batch: readonly Waiting<Item, End>[] } {
    const keys: string[] = []
    const batch: Waiting<Item, End>[] = []
    for (const [key, queue] of queues) {
      if (batch.length === most) break
      if (busy.has(key)) continue
      batch.push(...queue.splice(0, most - batch.length))
      keys.push(key)
      queues.delete(key)
      if (queue.length > 0) queues.set(key, queue)
    }
    return { keys, batch }
  }

  function start(): void {
    while (running < lanes) {
      const { keys, batch } = take()
      if (batch.length === 0) return
      running += 1
      for (const key of keys) busy.add(key)
      void run(batch).finally(() => {
        running -= 1
        for (const key of keys) busy.delete(key)
        start()
      })
    }
  }

  async function run(batch: readonly Waiting<Item, End>[]): Promise<void> {
    try {
      const ends = await work(batch.map(({ item }) => item))
      batch.forEach(({ resolve, reject }, index) => {
        const end = ends[index]!
        if (end instanceof Error) reject(end)
        else resolve(end)
      })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  return (key, item) =>
    new Promise((resolve, reject) => {
      const waiting = { item, resolve, reject }
      const queue = queues.get(key)
      if (queue) queue.push(waiting)
      else queues.set(key, [waiting])
      start()
    })
}
