import { keepTime, localizeTimes } from './clock.ts'
import { frame } from './frame.ts'
import { ask, followVisibility, listen, reloadOnce } from './live.ts'
import { copy, returnSoon, send, stay } from './steps.ts'

/** Remembers in this tab that the payment was seen before it ended: only then is the payer taken back by itself. */
const seenKey = `kolo:seen:${frame?.dataset['path'] ?? ''}`

function follow(): void {
  localizeTimes()
  try {
    if (!frame?.hasAttribute('data-ended')) return sessionStorage.setItem(seenKey, 'open')
    if (sessionStorage.getItem(seenKey) !== 'open') return
    sessionStorage.removeItem(seenKey)
  } catch {
    // A browser that keeps nothing for us does not take anybody anywhere either: the link is there.
    return
  }
  returnSoon()
}

function start(): void {
  if (!frame) return
  // The page was fetched ahead of time and not opened: opened is what a person looks at.
  if (frame.hasAttribute('data-unopened')) return reloadOnce()
  frame.addEventListener('shown', follow)
  follow()
  keepTime(() => void ask())
  followVisibility()
  listen()
}

document.documentElement.classList.add('has-script')

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || !form.hasAttribute('data-step')) return
  event.preventDefault()
  void send(form)
})

document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>('button') : null
  if (button?.hasAttribute('data-copy')) void copy(button)
  if (button?.hasAttribute('data-print')) print()
  if (button?.hasAttribute('data-stay')) stay()
})

if ((document as { prerendering?: boolean }).prerendering) document.addEventListener('prerenderingchange', start)
else start()
