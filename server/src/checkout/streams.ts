import type { ServerResponse } from 'node:http'

/**
 * A silent connection is cut by proxies, and the page takes two missed beats for a lost one. Hints can be lost too: with
 * each beat what is shown is compared with the books.
 */
const BEAT_MS = 15_000
/** A stream ends and is opened anew, so that none outlives what it was opened for. */
const LIFETIME_MS = 10 * 60_000
/** One process holds at most this many; pages beyond it ask instead. A stream costs about 30 KB. */
const MAX_STREAMS = 5_000
/** A reader that takes nothing is let go before what waits for it grows. */
const MAX_UNREAD_BYTES = 256 * 1024

export type StreamNews = { readonly version: string; readonly hasEnded: boolean; readonly body: string }

export type Followed = {
  /** Reads what there is to see now. */
  readonly read: () => Promise<StreamNews>
  /** Calls back when there may be something new; answers how to stop. */
  readonly subscribe: (onChange: () => void) => () => void
}

/** The open streams of this process. */
export type Streams = {
  readonly isFull: () => boolean
  /** Sends news as they happen, until the payment has ended, the reader left, or this process drains. */
  follow(response: ServerResponse, followed: Followed): void
  /** Ends them all; their pages find another process. */
  endAll(): void
}

export function createStreams(): Streams {
  const ends = new Set<() => void>()
  return {
    isFull: () => ends.size >= MAX_STREAMS,
    follow(response, followed) {
      const end = stream(response, followed, () => ends.delete(end))
      ends.add(end)
    },
    endAll() {
      for (const end of ends) end()
    },
  }
}

function stream(response: ServerResponse, { read, subscribe }: Followed, onEnd: () => void): () => void {
  let shown = ''
  let isReading = false
  let mustReadAgain = false
  let hasEnded = false

  async function look(): Promise<void> {
    if (isReading) return void (mustReadAgain = true)
    isReading = true
    try {
      do {
        mustReadAgain = false
        const news = await read()
        if (hasEnded) return
        if (news.version !== shown) write('news', news.body)
        shown = news.version
        if (news.hasEnded) end()
      } while (mustReadAgain)
    } catch {
      // Whatever is wrong, the page asks by itself and is told properly.
      end()
    } finally {
      isReading = false
    }
  }

  function write(event: string, body: string): void {
    if (response.writableLength > MAX_UNREAD_BYTES) return end()
    response.write(`event: ${event}\ndata: ${body}\n\n`)
  }

  const stop = subscribe(() => void look())
  const timers = [
    setInterval(() => {
      write('beat', '{}')
      void look()
    }, BEAT_MS),
    setTimeout(end, LIFETIME_MS),
  ]
  response.once('close', end)
  void look()

  function end(): void {
    if (hasEnded) return
    hasEnded = true
    stop()
    for (const timer of timers) clearTimeout(timer)
    response.end()
    onEnd()
  }
  return end
}
