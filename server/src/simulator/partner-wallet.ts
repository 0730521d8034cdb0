import { endingOf, nameOf } from './names.ts'
import type { Part } from './part.ts'

const known = /^PW[A-Za-z0-9]{8}$/

/** `GET /partner-wallet/users/{publicId}`: who a user is, without giving the name away. */
export function addPartnerWallet({ api }: Part): void {
  api.get<{ Params: { publicId: string } }>('/partner-wallet/users/:publicId', async ({ params }, reply) => {
    const { publicId } = params
    if (endingOf(publicId) === '502') return reply.code(503).send({ reason: 'upstream_unavailable' })
    const exists = known.test(publicId) && publicId !== 'PW00000404' && endingOf(publicId) !== '422'
    if (!exists) return reply.code(404).send({ reason: 'no_such_user' })
    const name = nameOf(publicId)
    return { maskedName: `${masked(name.given)} ${masked(name.family)}`, currencies: ['NGN', 'GHS'] }
  })
}

function masked(name: string): string {
  return `${name.slice(0, 1)}${name.slice(1, 2).toLowerCase()}***`
}
