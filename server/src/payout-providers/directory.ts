import type { Deps } from '../deps.ts'
import type { Institution, Reply } from '../rails/rail.ts'
import type { Rails } from '../rails/registry.ts'

type Kept = { readonly list: readonly Institution[]; readonly readAtMs: number }
type Shelf = { kept?: Kept; reading?: Promise<Reply<readonly Institution[]>> }

/** Banks open and close in weeks: a list this old is still right. Older ones are read again first. */
const FRESH_MS = 10 * 60 * 1000
/** While the providers are silent an older list serves, up to this age; after that nothing is better than it. */
const USABLE_MS = 24 * 60 * 60 * 1000

/** One shelf per country and type, of the rails of one process. */
const shelves = new WeakMap<Rails, Map<string, Shelf>>()

/** Every institution the rails can pay to in a country, by name; undefined while nobody can say. */
export async function institutionsOf(
  { rails }: Deps,
  country: string,
  type: Institution['type'],
): Promise<readonly Institution[] | undefined> {
  const shelf = shelfOf(rails, `${country}/${type}`)
  const ageMs = shelf.kept ? performance.now() - shelf.kept.readAtMs : Infinity
  if (shelf.kept && ageMs < FRESH_MS) return shelf.kept.list
  const reply = await (shelf.reading ??= read(rails, country, type).finally(() => delete shelf.reading))
  if (reply.state === 'answered') {
    shelf.kept = { list: reply.value, readAtMs: performance.now() }
    return reply.value
  }
  return shelf.kept && ageMs < USABLE_MS ? shelf.kept.list : undefined
}

function shelfOf(rails: Rails, name: string): Shelf {
  const all = shelves.get(rails) ?? new Map<string, Shelf>()
  shelves.set(rails, all)
  const shelf = all.get(name) ?? {}
  all.set(name, shelf)
  return shelf
}

/** Asks every rail that has a directory; what several list is listed once. */
async function read(rails: Rails, country: string, type: Institution['type']): Promise<Reply<readonly Institution[]>> {
  const replies = await Promise.all(rails.having('directory').map((rail) => rail.directory.institutions(country, type)))
  const silent = replies.find((reply) => reply.state !== 'answered')
  if (silent) return silent
  const found = new Map(
    replies.flatMap((reply) => (reply.state === 'answered' ? reply.value.map((one) => [one.id, one] as const) : [])),
  )
  const order = new Intl.Collator('en')
  return { state: 'answered', value: [...found.values()].toSorted((a, b) => order.compare(a.name, b.name)) }
}
