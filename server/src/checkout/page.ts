import { createHash } from 'node:crypto'
import { approving } from './approving.ts'
import type { Assets } from './assets.ts'
import { bill, isPaid, mayStillBePaid } from './bill.ts'
import { choosing, type Problem } from './choosing.ts'
import { amountText } from './format.ts'
import { html, type Html } from './html.ts'
import { icons } from './icons.ts'
import { cancelled, expired, failed, paid, processing } from './outcomes.ts'
import type { PayerView } from '../payments/payer.ts'

/** What stands on a page without a payment. */
export type Sign = { readonly title: string; readonly icon: Html; readonly words: Html }

/** What every page is made with. */
export type PageSetting = { readonly assets: () => Assets; readonly isSandbox: boolean }

/** A payment's page at one moment. `version` changes when there is something new to see, and only then. */
export type Rendering = {
  readonly version: string
  readonly title: string
  readonly frame: Html
  /** Nothing new can come for the payer: nobody needs to listen. */
  readonly hasEnded: boolean
  /** Something happens elsewhere, and the payer has nothing to fill in here. */
  readonly isWaiting: boolean
}

/** Renders the frame: what the first page carries and what later news replace. */
export function renderFrame(path: string, view: PayerView, now: Date, problem?: Problem): Rendering {
  const step = stepOf(path, view, now, problem)
  return {
    version: versionOf(view),
    title: titleOf(view),
    frame: html`${bill(view, now)}
      <main class="step" id="step">${step}</main>`,
    isWaiting: view.status === 'authorising' || view.status === 'initiated',
    hasEnded: isPaid(view) || !(mayStillBePaid(view) || view.status === 'initiated'),
  }
}

/** Whole: as it is first painted, without any script. */
export function renderPage(
  setting: PageSetting,
  path: string,
  rendering: Rendering,
  now: Date,
  isOpen: boolean,
): string {
  const { version, title, frame, hasEnded, isWaiting } = rendering
  const body = html`<div
      class="frame"
      id="frame"
      data-path="${path}"
      data-version="${version}"
      data-now="${now.toISOString()}"
      ${hasEnded && html`data-ended`}
      ${!isOpen && html`data-unopened`}
    >
      ${frame}
    </div>
    <aside class="offline" id="offline" aria-label="Connection" hidden>
      No connection. This page goes on when it is back.
    </aside>`
  const refresh = isWaiting && html`<noscript><meta http-equiv="refresh" content="10" /></noscript>`
  return document(setting, title, body, refresh || undefined)
}

/** A page without a payment: what happened, and what to do about it. */
export function renderSign(setting: PageSetting, sign: Sign): string {
  return document(
    setting,
    sign.title,
    html`<div class="frame alone">
      <main class="step" id="step">
        <div class="seal still">${sign.icon}</div>
        <h1 tabindex="-1">${sign.title}</h1>
        ${sign.words}
      </main>
    </div>`,
  )
}

function document(setting: PageSetting, title: string, body: Html, head?: Html): string {
  const assets = setting.assets()
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <meta name="robots" content="noindex, nofollow" />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" content="#0c2a22" />
        <meta name="format-detection" content="telephone=no" />
        <link rel="icon" href="${assets.urlOf('icon.svg')}" type="image/svg+xml" />
        <link rel="stylesheet" href="${assets.urlOf('page.css')}" />
        <script type="module" src="${assets.urlOf('page.js')}"></script>
        ${assets.modules.map((name) => html`<link rel="modulepreload" href="${assets.urlOf(name)}" />`)} ${head}
      </head>
      <body>
        <a class="skip" href="#step">Skip to the payment</a>
        ${setting.isSandbox && html`<aside class="sandbox" aria-label="Test mode">Test mode: no real money moves.</aside>`}
        ${body}
        <p class="unseen" id="news" role="status"></p>
        <footer class="foot">
          <span>${icons.lock} Secured by Kolo</span><span>Card details and PINs are never entered on this page.</span>
        </footer>
      </body>
    </html> `.html
}

function stepOf(path: string, view: PayerView, now: Date, problem: Problem | undefined): Html {
  switch (view.status) {
    case 'created':
    case 'pending':
      return choosing(path, view, problem)
    case 'authorising':
      return approving(path, view, now)
    case 'initiated':
      return processing(view)
    case 'executed':
    case 'settled':
      return paid(view)
    case 'failed':
      return failed(view)
    case 'cancelled':
      return cancelled(view)
    case 'expired':
      return expired(view)
  }
}

function titleOf(view: PayerView): string {
  const sum = `${amountText(view.source).replace('\u00a0', ' ')} to ${view.organizationName}`
  if (isPaid(view)) return `Paid: ${sum}`
  return mayStillBePaid(view) || view.status === 'initiated' ? `Pay ${sum}` : `Not paid: ${sum}`
}

/** Settling, and a payment being opened, show nothing new to a payer. */
function versionOf(view: PayerView): string {
  const status = isPaid(view) ? 'paid' : view.status === 'created' ? 'pending' : view.status
  const text = JSON.stringify({ ...view, status, redirectUrl: null }, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}
