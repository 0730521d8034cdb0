import { html, type Html } from './html.ts'

/** Drawn in the colour of the text around them, hidden from screen readers: the words beside them say it. */
function icon(paths: Html, size = 20): Html {
  return html`<svg
    width="${size}"
    height="${size}"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="1.75"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    ${paths}
  </svg>`
}

const bank = html`<path d="M4 10 12 4.5 20 10M5.5 10v7.5M10 10v7.5M14 10v7.5M18.5 10v7.5M4 20h16" />`
const transfer = html`<path d="M4 8.5h14.5M15 5l3.5 3.5L15 12M20 15.5H5.5M9 12l-3.5 3.5L9 19" />`
const phone = html`<rect x="7" y="3" width="10" height="18" rx="2.5" /><path d="M11 18h2" />`
const card = html`<rect x="3" y="5.5" width="18" height="13" rx="2.5" /><path d="M3 10h18M7 14.75h3.5" />`

export const icons = {
  bank_transfer: icon(transfer),
  pay_by_bank: icon(bank),
  mobile_money: icon(phone),
  card: icon(card),
  turn: icon(html`<path d="m6 9.5 6 6 6-6" />`),
  lock: icon(
    html`<rect x="5" y="10.5" width="14" height="9.5" rx="2" /><path d="M8.5 10.5V8a3.5 3.5 0 0 1 7 0v2.5" />`,
    14,
  ),
  notice: icon(html`<circle cx="12" cy="12" r="8.5" /><path d="M12 8v4.5M12 15.75v.01" />`),
  done: icon(html`<path d="m5.5 12.5 4.5 4.5 8.5-9.5" />`, 26),
  cross: icon(html`<path d="m7 7 10 10M17 7 7 17" />`, 26),
  clock: icon(html`<circle cx="12" cy="12" r="8.5" /><path d="M12 7.5V12l3 2" />`, 26),
  phoneLarge: icon(phone, 26),
  bankLarge: icon(bank, 26),
  cardLarge: icon(card, 26),
  transferLarge: icon(transfer, 26),
  link: icon(
    html`<path
      d="M10 14a4 4 0 0 0 5.7 0l2.8-2.8a4 4 0 0 0-5.7-5.7L11.5 7M14 10a4 4 0 0 0-5.7 0l-2.8 2.8a4 4 0 0 0 5.7 5.7l1.3-1.5"
    />`,
    26,
  ),
} as const
