import { html, type Html } from '../../checkout/html.ts'
import type { Box, Letter } from './letters.ts'

const seals: Readonly<Record<Letter['signature'], readonly [mark: string, words: string]>> = {
  valid: ['good', 'Signature valid'],
  wrong: ['bad', 'Signature wrong'],
  stale: ['bad', 'Timestamp too old'],
  absent: ['plain', 'Not signed'],
  unknown: ['plain', 'No endpoint with a secret leads here'],
}

/** The whole page of a box. */
export function boxPage(box: Box, url: string): string {
  return `<!doctype html>${
    html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${box.name} · Kolo inbox</title>
        <link rel="stylesheet" href="/inbox/-/inbox.css" />
        <script type="module" src="/inbox/-/inbox.js"></script>
      </head>
      <body data-stream="/inbox/${box.name}/stream">
        <header>
          <h1>Inbox <b>${box.name}</b></h1>
          <p>Register <code>${url}</code> as a webhook endpoint; what is delivered to it appears here.</p>
          ${mannerForm(box)}
        </header>
        <main>
          <p id="live" role="status">Connecting …</p>
          <ol id="letters" reversed>
            ${box.letters.map(letterItem)}
          </ol>
          <p id="empty">Nothing has arrived yet.</p>
        </main>
      </body>
    </html>`.html
  }`
}

function mannerForm({ name, manner }: Box): Html {
  return html`<form method="post" action="/inbox/${name}/manner">
    <label
      >Answer with <input name="status" type="number" min="200" max="599" value="${manner.status}" required
    /></label>
    <label
      >after
      <input name="delayMs" type="number" min="0" max="60000" step="1" value="${manner.delayMs}" required /> ms</label
    >
    <button>Set</button>
  </form>`
}

/** One delivery: what it is, whether its signature holds, its headers and its exact body. */
export function letterItem({ number, receivedAt, headers, body, signature, answered }: Letter): Html {
  const [mark, words] = seals[signature]
  return html`<li data-number="${number}">
    <details ${number === 1 ? html`open` : null}>
      <summary>
        <b>${headers['x-webhook-event'] ?? 'A request'}</b>
        <span class="seal ${mark}">${words}</span>
        <span class="answer">${answered}</span>
        <time datetime="${receivedAt.toISOString()}">${receivedAt.toISOString().slice(11, 23)}</time>
      </summary>
      <dl>
        ${Object.entries(headers).map(
          ([name, value]) =>
            html`<dt>${name}</dt>
              <dd>${value}</dd>`,
        )}
      </dl>
      <pre>${readable(body)}</pre>
    </details>
  </li>`
}

/** Indented for the eye. The signature was checked over the bytes as they came. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
