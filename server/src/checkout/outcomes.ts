import { waiting } from './approving.ts'
import { isPaid } from './bill.ts'
import { amountText, instant } from './format.ts'
import { html, type Html } from './html.ts'
import { icons } from './icons.ts'
import type { PayerView } from '../payments/payer.ts'
import { reasonWords } from './words.ts'

/** The provider has the payer's instruction, and the money is on its way: nothing to do but wait. */
export function processing(view: PayerView): Html {
  return html`<div class="seal">${icons.clock}</div>
    <h1 tabindex="-1">Your payment is on its way</h1>
    <p class="lead">
      ${view.attempt?.methodName ?? 'The provider'} has accepted it. As soon as the money is confirmed, this page shows
      your receipt. You need not pay again, and you may close this page.
    </p>
    ${waiting('Waiting for confirmation.')} ${backLink(view, true)}`
}

export function paid(view: PayerView): Html {
  const { source, target, organizationName, description, reference, paymentId, paidAt, paidBy } = view
  const isConverted = source.currency !== target.currency
  return html`<div class="seal done">${icons.done}</div>
    <h1 tabindex="-1">Paid. Thank you.</h1>
    <p class="lead"><strong>${organizationName}</strong> has been told. This is your receipt.</p>
    ${returning(view)}
    <dl class="lines receipt" aria-label="Receipt">
      ${line('Amount', html`${amountText(source)}`, 'sum')}
      ${
        isConverted &&
        line(
          'Converted',
          html`${amountText(target)} <small>1 ${source.currency} = ${view.exchangeRate} ${target.currency}</small>`,
        )
      }
      ${line('To', html`${organizationName}`)} ${description !== null && line('For', html`${description}`)}
      ${paidBy !== null && line('Paid with', html`${paidBy}`)} ${paidAt && line('Date', instant(paidAt))}
      ${line('Reference', html`${reference}`)} ${line('Payment', html`${paymentId}`, 'tall')}
    </dl>
    <div class="actions">
      ${backButton(view)} <button type="button" class="button plain print" data-print>Print the receipt</button>
    </div>`
}

export function failed(view: PayerView): Html {
  return html`<div class="seal alert">${icons.cross}</div>
    <h1 tabindex="-1">The payment did not go through</h1>
    <p class="lead">
      ${reasonWords(view.failureReason)} This request cannot be paid any more. Ask
      <strong>${view.organizationName}</strong> for a new one if you still want to pay.
    </p>
    ${returning(view)} ${backLink(view)}`
}

export function cancelled(view: PayerView): Html {
  return html`<div class="seal still">${icons.cross}</div>
    <h1 tabindex="-1">This payment was cancelled</h1>
    <p class="lead">
      <strong>${view.organizationName}</strong> cancelled this request, and nothing more can be paid with it. If you
      have already sent money, it is not lost: contact ${view.organizationName} with the reference
      <strong>${view.reference}</strong>.
    </p>
    ${returning(view)} ${backLink(view)}`
}

export function expired(view: PayerView): Html {
  return html`<div class="seal still">${icons.clock}</div>
    <h1 tabindex="-1">This payment has expired</h1>
    <p class="lead">
      The time to pay ended on ${instant(view.expiresAt)}. Ask <strong>${view.organizationName}</strong> for a new
      payment link. If you have already sent money, it is not lost: contact them with the reference
      <strong>${view.reference}</strong>.
    </p>
    ${returning(view)} ${backLink(view)}`
}

function backButton(view: PayerView): Html | undefined {
  const url = view.redirectUrl
  return url === null
    ? undefined
    : html`<a class="button" href="${url}" rel="noreferrer" data-return>Return to ${view.organizationName}</a>`
}

function backLink(view: PayerView, isQuiet = false): Html | undefined {
  const url = view.redirectUrl
  if (url === null) return undefined
  const name = isQuiet ? 'button plain' : 'button'
  return html`<div class="actions">
    <a class="${name}" href="${url}" rel="noreferrer" ${!isQuiet && html`data-return`}
      >Return to ${view.organizationName}</a
    >
  </div>`
}

/** Shown by the script to whoever watched the payment end here. Whoever opens an ended one stays. */
function returning(view: PayerView): Html | undefined {
  if (view.redirectUrl === null) return undefined
  return html`<p class="returning" data-returning hidden>
    <span
      >Taking you back to ${view.organizationName} in <span data-seconds>${isPaid(view) ? 8 : 12}</span> seconds.</span
    >
    <button type="button" class="quiet" data-stay>Stay here</button>
  </p>`
}

function line(name: string, value: Html, look?: string): Html {
  return html`<div class="${look}">
    <dt>${name}</dt>
    <dd class="value">${value}</dd>
  </div>`
}
