import type { Part } from './part.ts'

/** BVNs that do not belong to whoever is asked about, and that the registry behind the provider says nothing about. */
const MISMATCH = '22222222220'
const REGISTRY_DOWN = '22222222221'

/** Says whether a BVN belongs to a person. */
export function addIdentity({ api }: Part): void {
  api.post<{ Body: { bvn: string } }>('/identity/bvn', async ({ body }, reply) => {
    if (body.bvn === REGISTRY_DOWN) return reply.code(503).send({ reason: 'upstream_unavailable' })
    return { matches: body.bvn !== MISMATCH }
  })
}
