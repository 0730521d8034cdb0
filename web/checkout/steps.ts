import { frame, say, type News } from './frame.ts'
import { hear } from './live.ts'

/** Sends a form without leaving the page, once however often the button is pressed. */
export async function send(form: HTMLFormElement): Promise<void> {
  const button = form.querySelector<HTMLButtonElement>('button')
  if (!button || button.getAttribute('aria-disabled') === 'true') return
  const words = button.textContent
  button.setAttribute('aria-disabled', 'true')
  button.textContent = button.dataset['busy'] ?? words
  try {
    const fields = new URLSearchParams()
    for (const [name, value] of new FormData(form)) fields.set(name, String(value))
    const response = await fetch(form.action, { method: 'POST', body: fields, headers: { accept: 'application/json' } })
    if (!response.headers.get('content-type')?.startsWith('application/json')) return form.submit()
    const news = (await response.json()) as News
    hear(news)
    if (news.goTo) location.assign(news.goTo)
  } catch {
    say('No connection. Please try again.')
    const note = form.querySelector('.fault[data-connection]') ?? document.createElement('p')
    note.className = 'fault'
    note.setAttribute('data-connection', '')
    note.textContent = 'No connection. Nothing was sent. Please try again.'
    button.after(note)
  } finally {
    button.removeAttribute('aria-disabled')
    button.textContent = words
  }
}

const COPIED_MS = 2_000

export async function copy(button: HTMLElement): Promise<void> {
  const label = button.querySelector('[data-label]')
  try {
    await navigator.clipboard.writeText(button.dataset['copy'] ?? '')
  } catch {
    // Without leave to write, the value is selected, so that the payer's own "copy" takes it.
    const value = button.closest('div')?.querySelector('.value')
    if (value) getSelection()?.selectAllChildren(value)
    return say('Selected. Copy it with your keyboard or menu.')
  }
  say(button.dataset['copied'] ?? 'Copied')
  if (!label) return
  label.textContent = 'Copied'
  setTimeout(() => (label.textContent = 'Copy'), COPIED_MS)
}

let returning: ReturnType<typeof setInterval> | undefined

/** Takes whoever saw the payment end here back to where they came from, unless they would rather stay. */
export function returnSoon(): void {
  const line = frame?.querySelector<HTMLElement>('[data-returning]')
  const link = frame?.querySelector<HTMLAnchorElement>('[data-return]')
  const seconds = line?.querySelector('[data-seconds]')
  clearInterval(returning)
  if (!line || !link || !seconds) return
  line.hidden = false
  let left = Number(seconds.textContent)
  returning = setInterval(() => {
    left -= 1
    seconds.textContent = String(Math.max(left, 0))
    if (left > 0) return
    clearInterval(returning)
    location.assign(link.href)
  }, 1000)
}

export function stay(): void {
  clearInterval(returning)
  const line = frame?.querySelector<HTMLElement>('[data-returning]')
  if (line) line.hidden = true
  frame?.querySelector<HTMLElement>('h1')?.focus()
  say('You stay on this page.')
}
