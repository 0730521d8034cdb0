import { hearTime } from './clock.ts'
import { frame, show, type News } from './frame.ts'

/** The stream beats every 15 s; when it has been silent for longer than two beats, it is not believed. */
const SILENCE_MS = 35_000
const FIRST_POLL_MS = 2_000
const LONGEST_POLL_MS = 20_000
const POLL_TIMEOUT_MS = 10_000

const path = frame?.dataset['path'] ?? ''
const offline = document.querySelector<HTMLElement>('#offline')

let stream: EventSource | undefined
let silence: ReturnType<typeof setTimeout> | undefined
let nextPoll: ReturnType<typeof setTimeout> | undefined
let pollMs = FIRST_POLL_MS

export function hear(news: News): void {
  hearTime(news.now)
  show(news)
  if (news.hasEnded) stop()
}

function stop(): void {
  stream?.close()
  stream = undefined
  clearTimeout(silence)
  clearTimeout(nextPoll)
}

/** A page that was reloaded already is not reloaded again: without cookies that would never end. */
export function reloadOnce(): void {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  if (navigation?.type !== 'reload') location.reload()
}

/** Asks once, at once. Answers whether the service was heard. */
export async function ask(): Promise<boolean> {
  try {
    const response = await fetch(`${path}/view`, {
      headers: { 'if-none-match': `"${frame?.dataset['version'] ?? ''}"` },
      signal: AbortSignal.timeout(POLL_TIMEOUT_MS),
    })
    if (offline) offline.hidden = true
    if (response.status === 200) hear((await response.json()) as News)
    // The visit is over: the whole page says it better.
    else if (response.status === 403) reloadOnce()
    return response.ok || response.status === 304
  } catch {
    if (offline) offline.hidden = false
    return false
  }
}

/** While the stream is down: asks again and again, less and less often, and tries the stream each time. */
function poll(): void {
  clearTimeout(nextPoll)
  nextPoll = setTimeout(() => {
    pollMs = Math.min(pollMs * 1.5, LONGEST_POLL_MS)
    void ask().then((wasHeard) => {
      if (frame?.hasAttribute('data-ended') || document.hidden) return
      if (wasHeard) listen()
      else poll()
    })
  }, pollMs)
}

function beat(): void {
  clearTimeout(silence)
  silence = setTimeout(fallBack, SILENCE_MS)
}

function fallBack(): void {
  stop()
  poll()
}

/** Opens the stream; whatever happens to it, asking takes over. */
export function listen(): void {
  stop()
  if (!frame || frame.hasAttribute('data-ended')) return
  if (!('EventSource' in window)) return poll()
  const opened = new EventSource(`${path}/live`)
  stream = opened
  beat()
  opened.addEventListener('news', (event: MessageEvent<string>) => {
    beat()
    pollMs = FIRST_POLL_MS
    if (offline) offline.hidden = true
    hear(JSON.parse(event.data) as News)
  })
  opened.addEventListener('beat', beat)
  opened.addEventListener('error', fallBack)
}

/** A hidden page lets its connection go: a browser has few, and other tabs need them. */
export function followVisibility(): void {
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) return stop()
    void ask().then(listen)
  })
  addEventListener('pageshow', (event) => {
    if (event.persisted) void ask().then(listen)
  })
  addEventListener('online', () => void ask().then(listen))
  addEventListener('offline', () => {
    if (offline) offline.hidden = false
  })
  addEventListener('pagehide', stop)
}
