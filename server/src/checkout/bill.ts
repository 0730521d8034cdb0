import type { Money } from '../money/money.ts'
import { amountText, countdown, digitsOf, plainAmount } from './format.ts'
import { html, type Html } from './html.ts'
import type { PayerView } from '../payments/payer.ts'

/** More digits than this do not fit a small phone at the large size. */
const MAX_LARGE_DIGITS = 12

/** Who asks, how much, for what, until when. */
export function bill(view: PayerView, now: Date): Html {
  const { organizationName, description, reference, expiresAt } = view
  return html`<header class="bill">
    <p class="payee">
      <span class="monogram" aria-hidden="true">${monogram(organizationName)}</span>
      <span>${payeeWords(view)} <strong>${organizationName}</strong></span>
    </p>
    ${amount(view.source)} ${converted(view)}
    <dl class="facts">
      ${description !== null && fact('For', html`${description}`)} ${fact('Reference', html`${reference}`)}
      ${mayStillBePaid(view) && fact('Time left', countdown(expiresAt, now))}
    </dl>
  </header>`
}

function payeeWords(view: PayerView): string {
  if (isPaid(view)) return 'Paid to'
  return mayStillBePaid(view) || view.status === 'initiated' ? 'Pay' : 'Requested by'
}

function amount(money: Money): Html {
  const { whole, fraction } = digitsOf(money)
  const isLong = whole.length + fraction.length > MAX_LARGE_DIGITS
  return html`<p class="amount">
    <data value="${plainAmount(money)}"
      ><span class="code">${money.currency}</span>
      <span class="figure${isLong && ' long'}">${whole}<span class="minor">${fraction}</span></span></data
    >
  </p>`
}

function converted({ source, target, exchangeRate, organizationName }: PayerView): Html | undefined {
  if (source.currency === target.currency) return undefined
  return html`<p class="converted">
    ${organizationName} receives <strong>${amountText(target)}</strong>
    <span>at 1 ${source.currency} = ${exchangeRate} ${target.currency}</span>
  </p>`
}

function fact(name: string, value: Html): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`
}

function monogram(name: string): string {
  return (name.match(/\p{L}|\p{N}/u)?.[0] ?? '·').toUpperCase()
}

export function isPaid({ status }: PayerView): boolean {
  return status === 'executed' || status === 'settled'
}

/** While the clock of the payment request still matters to the payer. */
export function mayStillBePaid({ status }: PayerView): boolean {
  return status === 'created' || status === 'pending' || status === 'authorising'
}
