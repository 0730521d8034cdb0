import { endingOf, nameOf } from './names.ts'
import type { Part } from './part.ts'

/** `POST /accounts/resolve`: whose account it is. */
export function addAccounts({ api }: Part): void {
  api.post<{ Body: { accountNumber: string } }>('/accounts/resolve', async ({ body }, reply) => {
    const ending = endingOf(body.accountNumber)
    if (ending === '502') return reply.code(503).send({ reason: 'upstream_unavailable' })
    if (ending === '422') return reply.code(422).send({ reason: 'no_such_account' })
    const name = nameOf(body.accountNumber)
    return { accountName: `${name.family} ${name.given}` }
  })
}
