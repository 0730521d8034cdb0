import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import type { Institution } from '../rails/rail.ts'
import { institutionsOf } from './directory.ts'
import type { Provider, ProviderQuery } from './schema.ts'

const DEFAULT_LIMIT = 20

/** Whom a payout can go to in a country, sorted by name. */
export async function listProviders(deps: Deps, query: ProviderQuery) {
  const { country, beneficiaryType, search, page = 1, limit = DEFAULT_LIMIT } = query
  deps.rails.get('directory')
  const all = await institutionsOf(deps, country, beneficiaryType)
  if (!all) throw new Refusal('directory_unavailable')
  const found = search === undefined ? all : all.filter((one) => isFound(one, plain(search)))
  return {
    providers: found.slice((page - 1) * limit, page * limit).map(present),
    pagination: { page, pages: Math.ceil(found.length / limit), total: found.length },
  }
}

/** The institution behind a bank code or an id, of a country; `unknown` while nobody can say. */
export async function findInstitution(
  deps: Deps,
  country: string,
  type: Institution['type'],
  isWanted: (institution: Institution) => boolean,
): Promise<Institution | 'not_listed' | 'unknown'> {
  const all = await institutionsOf(deps, country, type)
  return all ? (all.find(isWanted) ?? 'not_listed') : 'unknown'
}

function isFound({ name, bankCode }: Institution, wanted: string): boolean {
  return plain(name).includes(wanted) || bankCode?.toLowerCase() === wanted
}

/** Without case and accents: nobody should have to type é. */
function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim()
}

function present({ id, name, country, currency, bankCode }: Institution): Provider {
  return { id, name, country_iso_code: country, currency, bankCode }
}
