import { frame } from './frame.ts'

/** The service's clock, which need not be this device's: what it said last, and how long ago that was. */
let heard = { atMs: Date.parse(frame?.dataset['now'] ?? ''), sinceMs: performance.now() }

export function hearTime(now: string): void {
  heard = { atMs: Date.parse(now), sinceMs: performance.now() }
}

function nowMs(): number {
  return heard.atMs + (performance.now() - heard.sinceMs)
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** The same words the server first wrote. */
function timeLeft(leftMs: number): string {
  if (leftMs <= 0) return 'none'
  const days = Math.floor(leftMs / DAY_MS)
  const hours = Math.floor((leftMs % DAY_MS) / HOUR_MS)
  const minutes = Math.floor((leftMs % HOUR_MS) / MINUTE_MS)
  const seconds = Math.floor((leftMs % MINUTE_MS) / 1000)
  if (days > 0) return hours > 0 ? `${counted(days, 'day')} ${counted(hours, 'hour')}` : counted(days, 'day')
  if (hours > 0) return `${counted(hours, 'hour')} ${minutes} min`
  return `${minutes}:${String(seconds).padStart(2, '0')} min`
}

/** Counts down every second, and calls when a time that was running has run out. */
export function keepTime(onEnd: () => void): void {
  setInterval(() => {
    for (const time of document.querySelectorAll<HTMLTimeElement>('[data-countdown]')) {
      const leftMs = Date.parse(time.dateTime) - nowMs()
      const words = timeLeft(leftMs)
      if (time.textContent === words) continue
      time.textContent = words
      if (leftMs <= 0) onEnd()
    }
  }, 1000)
}

/** Instants in the payer's own zone and way of writing. */
export function localizeTimes(): void {
  const style = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'short' })
  for (const time of document.querySelectorAll<HTMLTimeElement>('[data-local]')) {
    time.textContent = style.format(new Date(time.dateTime))
    time.removeAttribute('data-local')
  }
}
