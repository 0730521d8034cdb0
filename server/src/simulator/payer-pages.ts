import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Collection, CollectionBook } from './collection-book.ts'

const style = readFileSync(new URL('./payer-pages.css', import.meta.url), 'utf8')

/** What the payer can do at the provider, and what the button says. */
const choices = {
  approve: { bank: 'Approve payment', card: 'Pay', kind: 'main' },
  decline: { bank: 'Decline', card: 'Let the card be declined', kind: 'plain' },
  abandon: { bank: 'Leave without deciding', card: 'Leave without paying', kind: 'quiet' },
} as const
type Choice = keyof typeof choices

/** The provider's pages, plainly a simulation: the bank where a payer approves, and the card form that takes no card. */
export function addPayerPages(pages: FastifyInstance, collections: CollectionBook): void {
  pages.get('/payer/style.css', async (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('cache-control', 'public, max-age=3600').send(style),
  )

  pages.get<{ Params: { reference: string } }>('/payer/:reference', async ({ params }, reply) => {
    const found = await collections.find('reference', params.reference)
    return send(reply, found, found ? bodyOf(found) : gone())
  })

  // On the pages themselves: a plugin registered from within a part would ask payers for the callers' secret.
  pages.addContentTypeParser('application/x-www-form-urlencoded', (_request, payload, done) => {
    payload.resume()
    payload.on('end', () => done(null, undefined))
  })
  pages.post<{ Params: { reference: string; choice: string } }>(
    '/payer/:reference/:choice',
    async ({ params: { reference, choice } }, reply) => {
      const found = await collections.find('reference', reference)
      if (!found || !Object.hasOwn(choices, choice)) return send(reply, found, gone())
      await act(collections, found.orderId, choice as Choice)
      return found.returnUrl ? reply.redirect(found.returnUrl, 303) : send(reply, found, bodyOf(found))
    },
  )
}

async function act(collections: CollectionBook, orderId: string, choice: Choice): Promise<void> {
  await collections.transaction(async (query) => {
    const found = await collections.lock(orderId, query)
    if (found?.status !== 'waiting') return
    if (choice === 'approve') await collections.approve(found, query)
    if (choice === 'decline') await collections.decline(found, 'declined_by_payer', query)
  })
}

/** No script at all; forms go to the provider itself and from there back to whoever sent the payer. */
function send(reply: FastifyReply, found: Collection | undefined, body: string): FastifyReply {
  const back = found?.returnUrl ? ` ${new URL(found.returnUrl).origin}` : ''
  return reply
    .code(found ? 200 : 404)
    .type('text/html; charset=utf-8')
    .headers({
      'content-security-policy': `default-src 'none'; style-src 'self'; form-action 'self'${back}; base-uri 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    }).send(`<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>Sandbox ${found?.kind === 'card' ? 'card page' : 'bank'}: a simulation</title>
<link rel="stylesheet" href="/payer/style.css"></head><body>
<aside class="banner" aria-label="Simulation"><strong>Simulation.</strong> No bank and no card is involved, no money moves.</aside>
<main>${body}</main></body></html>`)
}

function bodyOf(found: Collection): string {
  const isCard = found.kind === 'card'
  return `<header><span class="mark" aria-hidden="true">${isCard ? 'C' : 'B'}</span>
<span>${isCard ? 'Sandbox Cards' : 'Sandbox Bank'}</span></header>
<h1>${found.status === 'waiting' ? (isCard ? 'Pay by card' : 'Approve this payment') : ended[found.status]}</h1>
<dl><div><dt>To</dt><dd>${escaped(found.payee)}</dd></div>
${found.description ? `<div><dt>For</dt><dd>${escaped(found.description)}</dd></div>` : ''}
<div class="sum"><dt>Amount</dt><dd>${escaped(amountText(found))}</dd></div></dl>
${found.status === 'waiting' ? (isCard ? cardFields : '') + buttonsOf(found, isCard) : backLink(found)}`
}

/** A card that pays nothing: shown, never asked for, never sent. */
const cardFields = `<div class="card" role="img" aria-label="A card of the simulation"><span>4000 0000 0000 0000</span><span>12 / 39</span></div>`

function buttonsOf({ reference }: Collection, isCard: boolean): string {
  const names = Object.keys(choices) as Choice[]
  const forms = names.map((name) => {
    const { bank, card, kind } = choices[name]
    return `<form method="post" action="/payer/${reference}/${name}"><button class="${kind}" name="choice" value="${name}">${isCard ? card : bank}</button></form>`
  })
  return `<div class="choices">${forms.join('')}</div>`
}

const ended: Readonly<Record<Collection['status'], string>> = {
  waiting: '',
  accepted: 'You approved this payment',
  received: 'This payment is done',
  declined: 'This payment was declined',
  rejected: 'This payment was rejected',
  voided: 'This payment was ended elsewhere',
}

function backLink({ returnUrl }: Collection): string {
  if (!returnUrl) return '<p>You can close this page.</p>'
  return `<p>There is nothing left to do here.</p><p><a class="main" href="${escaped(returnUrl)}">Back to the payment</a></p>`
}

function gone(): string {
  return '<h1>There is no such payment here</h1><p>Go back to the page you came from and choose again.</p>'
}

function amountText({ amount, currency }: Collection): string {
  return new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' }).format(amount)
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
