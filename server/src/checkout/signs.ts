import { html, type Html } from './html.ts'
import { icons } from './icons.ts'

type Sign = { readonly title: string; readonly icon: Html; readonly words: Html }

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
        For your safety a link works only for a while, and only the newest one does. Nothing was taken from you.
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
