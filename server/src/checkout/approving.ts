import type { CollectionStep } from '../rails/rail.ts'
import { amountText, countdown, groupedNumber, maskedPhone, plainAmount } from './format.ts'
import { html, type Html } from './html.ts'
import { icons } from './icons.ts'
import type { PayerView, PayerAttempt } from '../payments/payer.ts'

/** The payer has chosen, and the provider waits: at its own page, for a transfer, or for a tap on the phone. */
export function approving(path: string, view: PayerView, now: Date): Html {
  const attempt = view.attempt
  if (!attempt?.step) return starting(path, attempt)
  switch (attempt.step.kind) {
    case 'redirect':
      return atProvider(path, attempt, attempt.step.url)
    case 'transfer':
      return byTransfer(path, view, attempt.step, now)
    case 'prompt':
      return onPhone(path, view, attempt.step.phone)
  }
}

function starting(path: string, attempt: PayerAttempt | null): Html {
  return html`<div class="seal">${icons.clock}</div>
    <h1 tabindex="-1">Getting ready…</h1>
    <p class="lead">
      ${attempt?.methodName ?? 'The provider'} is preparing your payment. If it does not answer within a minute, you can
      choose again. Nothing is taken before you approve it.
    </p>
    ${waiting('Waiting for the provider.')}
    <div class="actions">${otherWay(path)}</div>`
}

function atProvider(path: string, { type, methodName }: PayerAttempt, url: string): Html {
  const isCard = type === 'card'
  return html`<div class="seal">${isCard ? icons.cardLarge : icons.bankLarge}</div>
    <h1 tabindex="-1">${isCard ? 'Enter your card' : 'Approve at your bank'}</h1>
    <p class="lead">
      ${methodName} continues on the provider’s own page. When you have approved it there, this page follows by itself.
    </p>
    <div class="actions">
      <a class="button" href="${url}" rel="noreferrer">Continue to ${isCard ? 'card entry' : 'your bank'}</a>
      ${otherWay(path)}
    </div>`
}

function byTransfer(
  path: string,
  view: PayerView,
  { account, expiresAt }: Extract<CollectionStep, { kind: 'transfer' }>,
  now: Date,
): Html {
  return html`<h1 tabindex="-1">Send the money by bank transfer</h1>
    <p class="lead">
      Send exactly <strong>${amountText(view.source)}</strong> to this account, made for this payment alone. Another
      amount cannot be matched.
    </p>
    <dl class="lines">
      ${copied('Account number', account.accountNumber, html`${groupedNumber(account.accountNumber)}`, true)}
      ${copied('Bank', account.bankName, html`${account.bankName}`)}
      ${copied('Account name', account.accountName, html`${account.accountName}`)}
      ${copied('Amount', plainAmount(view.source), html`${amountText(view.source)}`)}
    </dl>
    ${waiting(html`Waiting for your transfer. These details are good for ${countdown(expiresAt, now)}.`)}
    <div class="actions">${otherWay(path, 'Choose another way instead')}</div>`
}

function onPhone(path: string, view: PayerView, phone: string): Html {
  return html`<div class="seal">${icons.phoneLarge}</div>
    <h1 tabindex="-1">Approve on your phone</h1>
    <p class="lead">A prompt was sent to <strong>${maskedPhone(phone)}</strong>.</p>
    <ol class="numbered">
      <li>Open the prompt on your phone.</li>
      <li>Check that it says ${amountText(view.source)}.</li>
      <li>Enter your mobile money PIN there. Never enter it here.</li>
    </ol>
    ${waiting('Waiting for your approval.')}
    <div class="actions">${otherWay(path, 'No prompt? Choose again')}</div>`
}

export function waiting(words: string | Html): Html {
  return html`<p class="waiting">
    <span class="dots" aria-hidden="true"><i></i><i></i><i></i></span><span>${words}</span>
  </p>`
}

function otherWay(path: string, words = 'Choose another way to pay'): Html {
  return html`<form method="post" action="${path}/leave" data-step>
    <button class="button plain" data-busy="One moment…">${words}</button>
  </form>`
}

/** A line with a button that copies its exact value. */
function copied(name: string, value: string, shown: Html, isNumber = false): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd class="value${isNumber && ' number'}">${shown}</dd>
    <dd class="tool">
      <button type="button" class="copy" data-copy="${value}" data-copied="${name} copied">
        <span data-label>Copy</span><span class="unseen"> ${name.toLowerCase()}</span>
      </button>
    </dd>
  </div>`
}
