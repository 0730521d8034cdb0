import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import { getInvite } from '../members/operations.ts'
import { acceptInviteOnly } from './operations.ts'
import { NEW_PASSWORD, NAME } from './schema.ts'

/** Where the link of an invitation leads: one plain page that sets a name and a password, without a script. */
export async function invitePages(app: FastifyInstance, deps: Deps): Promise<void> {
  const { publicUrl } = deps
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(body as string))),
  )

  app.get<{ Params: { token: string } }>('/invite/:token', { schema: { hide: true } }, async ({ params }, reply) => {
    try {
      const { email, name, organizationName } = await getInvite(deps, params.token)
      return show(reply, 200, form({ email, organizationName, name: name === email ? '' : name }))
    } catch (error) {
      return showRefusal(reply, error)
    }
  })

  app.post<{ Params: { token: string }; Body?: Partial<Record<string, string>> }>(
    '/invite/:token',
    { schema: { hide: true } },
    async ({ params, body, ip }, reply) => {
      const [name, password] = [(body?.['name'] ?? '').trim(), body?.['password'] ?? '']
      try {
        const { email, organizationName } = await getInvite(deps, params.token)
        const fault = faultOf(name, password, body?.['again'] ?? '')
        if (fault) return show(reply, 400, form({ email, organizationName, name, fault }))
        await acceptInviteOnly(deps, { token: params.token, name, password }, ip)
        return show(reply, 200, welcome(email, organizationName, publicUrl()))
      } catch (error) {
        return showRefusal(reply, error)
      }
    },
  )
}

function faultOf(name: string, password: string, again: string): string | undefined {
  const length = Array.from(password).length
  if (name.length < NAME.least || Array.from(name).length > NAME.most) return 'Please enter your name.'
  if (length < NEW_PASSWORD.least) return `The password needs at least ${NEW_PASSWORD.least} characters.`
  if (length > NEW_PASSWORD.most) return `The password may have at most ${NEW_PASSWORD.most} characters.`
  if (password !== again) return 'The two passwords differ.'
  return undefined
}

function showRefusal(reply: FastifyReply, error: unknown): FastifyReply {
  if (!(error instanceof Refusal)) throw error
  return show(
    reply,
    error.code === 'invite_not_found' ? 404 : 410,
    `<h1>This invitation cannot be used</h1>
<p role="alert">${escaped(error.message)}</p>`,
  )
}

type Form = { email: string; organizationName: string; name: string; fault?: string }

function form({ email, organizationName, name, fault }: Form): string {
  return `<h1>Join ${escaped(organizationName)}</h1>
<p>You were invited as <strong>${escaped(email)}</strong>.</p>
${fault ? `<p role="alert">${escaped(fault)}</p>` : ''}
<form method="post">
<label>Your name <input name="name" autocomplete="name" required maxlength="${NAME.most}" value="${escaped(name)}"></label>
<label>Password, at least ${NEW_PASSWORD.least} characters <input name="password" type="password" autocomplete="new-password" required minlength="${NEW_PASSWORD.least}" maxlength="${NEW_PASSWORD.most}"></label>
<label>Password again <input name="again" type="password" autocomplete="new-password" required></label>
<button>Join</button>
</form>`
}

function welcome(email: string, organizationName: string, origin: string): string {
  return `<h1>Welcome to ${escaped(organizationName)}</h1>
<p>You can sign in as <strong>${escaped(email)}</strong> from now on. <a href="${escaped(origin)}/docs">The documentation</a> shows how.</p>`
}

const style = `body{font:1rem/1.5 system-ui,sans-serif;max-width:28rem;margin:3rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
h1{font-size:1.5rem}label{display:block;margin:1rem 0}input{display:block;width:100%;box-sizing:border-box;font:inherit;padding:.6rem;border:1px solid #767676;border-radius:.3rem}
button{font:inherit;padding:.7rem 1.4rem;border:0;border-radius:.3rem;background:#14532d;color:#fff;cursor:pointer}
:focus-visible{outline:3px solid #2563eb;outline-offset:2px}[role=alert]{color:#991b1b;font-weight:600}`

const policy = [
  `default-src 'none'`,
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  `form-action 'self'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
].join('; ')

function show(reply: FastifyReply, status: number, main: string): FastifyReply {
  return reply.code(status).type('text/html; charset=utf-8').header('content-security-policy', policy)
    .send(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>Invitation</title><style>${style}</style></head>
<body><main>${main}</main></body></html>
`)
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
