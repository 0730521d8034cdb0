import { html, type Html } from './html.ts'
import { icons } from './icons.ts'
import type { PayerMethod, PayerView, PayerAttempt } from '../payments/payer.ts'
import { methodWords, phoneExample, reasonWords } from './words.ts'

/** What the payer filled in and what was wrong with it. */
export type Problem = {
  readonly methodId: string
  readonly message: string
  /** The field it is about; none when the way to pay itself could not be begun. */
  readonly field?: 'phone' | 'operator'
  readonly phone?: string
  readonly operator?: string
}

/** The ways to pay, one open at a time. Plain forms: without script they are simply sent. */
export function choosing(path: string, view: PayerView, problem: Problem | undefined): Html {
  const openId = problem?.methodId ?? view.attempt?.methodId ?? view.methods[0]?.id
  return html`<h1 tabindex="-1">How would you like to pay?</h1>
    ${problem && !problem.field ? trouble(problem.message) : lastTry(view.attempt)}
    ${
      view.methods.length === 0
        ? html`<p class="lead">
            No way to pay this amount in ${view.source.currency} is available right now. Please ask
            <strong>${view.organizationName}</strong>, or try again later.
          </p>`
        : html`<ul class="methods">
            ${view.methods.map((method) => offered(path, method, method.id === openId, problem))}
          </ul>`
    }`
}

function trouble(message: string): Html {
  return html`<div class="notice alert" role="alert">
    ${icons.notice}
    <p><strong>That did not work.</strong> ${message}</p>
  </div>`
}

function lastTry(attempt: PayerAttempt | null): Html | undefined {
  switch (attempt?.state) {
    case 'declined':
      return html`<div class="notice alert">
        ${icons.notice}
        <p>
          <strong>${attempt.methodName} was declined. No money was taken.</strong>
          ${reasonWords(attempt.reason)} Try again, or choose another way.
        </p>
      </div>`
    case 'lapsed':
      return html`<div class="notice">
        ${icons.notice}
        <p><strong>${attempt.methodName} was not finished in time.</strong> Try again, or choose another way.</p>
      </div>`
    default:
      return undefined
  }
}

function offered(path: string, method: PayerMethod, isOpen: boolean, problem: Problem | undefined): Html {
  const { id, type, name } = method
  const words = methodWords[type]
  const ownProblem = problem?.methodId === id ? problem : undefined
  return html`<li>
    <details class="method" name="method" ${isOpen && html`open`}>
      <summary>
        <span class="icon">${icons[type]}</span>
        <span><span class="name">${name}</span> <span class="hint">${words.hint}</span></span>
        <span class="turn">${icons.turn}</span>
      </summary>
      <form method="post" action="${path}/attempts" data-step>
        <input type="hidden" name="methodId" value="${id}" />
        ${type === 'mobile_money' && mobileMoney(method, ownProblem)}
        <button class="button" data-busy="One moment…">${words.button}</button>
        <p class="fine">${words.about}</p>
      </form>
    </details>
  </li>`
}

function mobileMoney({ id, country, operators }: PayerMethod, problem: Problem | undefined): Html {
  const isFaulty = problem?.field === 'phone'
  return html`<div class="field">
      <label for="phone-${id}">Mobile money number</label>
      <input
        id="phone-${id}"
        name="phone"
        type="tel"
        inputmode="tel"
        autocomplete="tel"
        maxlength="30"
        required
        value="${problem?.phone}"
        aria-describedby="phone-help-${id}"
        ${isFaulty && html`aria-invalid="true"`}
      />
      <p class="${isFaulty ? 'fault' : 'help'}" id="phone-help-${id}">
        ${isFaulty ? problem.message : `For example ${phoneExample(country)}`}
      </p>
    </div>
    ${
      operators.length > 0 &&
      html`<fieldset class="field">
        <legend>Network</legend>
        <div class="choices">
          ${operators.map(
            (operator) =>
              html`<label
                ><input
                  type="radio"
                  name="operator"
                  value="${operator}"
                  required
                  ${(operator === problem?.operator || operators.length === 1) && html`checked`}
                />${operator}</label
              >`,
          )}
        </div>
        ${problem?.field === 'operator' && html`<p class="fault">${problem.message}</p>`}
      </fieldset>`
    }`
}
