/** What the server says of the payment: the frame as it should look now, and where to go, if anywhere. */
export type News = {
  readonly version: string
  readonly title: string
  readonly html: string
  readonly now: string
  readonly hasEnded: boolean
  /** The form was not accepted: shown although the payment is the same. */
  readonly mustShow?: boolean
  /** The provider's page, in the answer to a choice that leads there. */
  readonly goTo?: string
}

type Policy = { createHTML(text: string): string }
type TrustedTypes = { createPolicy(name: string, rules: Policy): Policy }

const policy: Policy = (
  (window as { trustedTypes?: TrustedTypes }).trustedTypes ?? { createPolicy: (_name: string, rules: Policy) => rules }
).createPolicy('kolo', { createHTML: (text) => text })

export const frame = document.querySelector<HTMLElement>('#frame')
const newsline = document.querySelector<HTMLElement>('#news')

/** Says something to a screen reader without moving anything. */
export function say(words: string): void {
  if (newsline) newsline.textContent = words
}

/**
 * Shows news, if they are new. Whoever's focus stood in what is replaced finds it on the new heading; everybody hears
 * the heading and the words below it.
 */
export function show(news: News): boolean {
  if (!frame || (news.version === frame.dataset['version'] && !news.mustShow)) return false
  const hadFocus = frame.contains(document.activeElement)
  frame.innerHTML = policy.createHTML(news.html)
  frame.dataset['version'] = news.version
  frame.toggleAttribute('data-ended', news.hasEnded)
  frame.classList.add('arriving')
  document.title = news.title
  const heading = frame.querySelector<HTMLElement>('h1')
  const faulty = frame.querySelector<HTMLElement>('[aria-invalid="true"]')
  if (faulty) faulty.focus()
  else if (hadFocus) heading?.focus()
  const lead = frame.querySelector('.notice, .lead')
  say([heading, lead].map((each) => each?.textContent.replace(/\s+/g, ' ').trim() ?? '').join('. '))
  frame.dispatchEvent(new Event('shown'))
  return true
}
