import { institutions } from './institutions.ts'
import type { Part } from './part.ts'

type Query = { country?: string; type?: string }

/** `GET /institutions`: whom the provider can pay to in a country. */
export function addDirectory({ api }: Part): void {
  api.get<{ Querystring: Query }>('/institutions', async ({ query }) => ({
    institutions: institutions.filter((one) => one.country === query.country && one.type === query.type),
  }))
}
