import { html } from './html.ts'
import { icons } from './icons.ts'
import type { Sign } from './page.ts'

export const unknownLink: Sign = {
  title: 'There is no such payment link',
  icon: icons.link,
  words: html`<p class="lead">
    Check that the address was copied whole: links are often cut at the end of a line. If it still does not work, ask
    whoever sent it to you for the link again.
  </p>`,
}

/** A link too old or replaced. The payment itself may well be open: that is what the payer must hear. */
export function oldLink(organizationName: string): Sign {
  return {
    title: 'This payment link is too old',
    icon: icons.clock,
    words: html`<p class="lead">
        For your safety a link works only for a while, and only the newest one does. Opening it has cost you nothing.
      </p>
      <ol class="numbered">
        <li>Look for a newer message from ${organizationName}: it may hold a fresh link.</li>
        <li>Otherwise ask ${organizationName} for a new link to the same payment.</li>
        <li>If you began paying in another browser or on another device, go on there.</li>
      </ol>`,
  }
}

export const outOfOrder: Sign = {
  title: 'We cannot show this payment right now',
  icon: icons.clock,
  words: html`<p class="lead">
    Something on our side is not answering. Nothing was taken from you by this page. Please reload it in a minute.
  </p>`,
}

/** The page's own request came without its cookie, or from somewhere else. */
export function cookieNeeded(path: string): Sign {
  return {
    title: 'Please open the payment again',
    icon: icons.lock,
    words: html`<p class="lead">
        To keep your payment safe, this page sets one cookie that only it can read. Your browser did not send it. Allow
        cookies for this page, and open the payment again.
      </p>
      <div class="actions"><a class="button" href="${path}">Open the payment</a></div>`,
  }
}
