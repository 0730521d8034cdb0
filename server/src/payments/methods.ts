import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import type { Currency } from '../money/currencies.ts'
import { toMajor } from '../money/money.ts'
import type { CollectionMethod, Rail } from '../rails/rail.ts'

/** A way to pay and the rail that offers it. */
export type OfferedMethod = CollectionMethod & { readonly rail: Rail & Required<Pick<Rail, 'collections'>> }

/** Every way to pay in a currency, over all rails. */
export function methodsOf(deps: Deps, currency: Currency): readonly OfferedMethod[] {
  return deps.rails
    .having('collections')
    .flatMap((rail) =>
      rail.collections.methods
        .filter((method) => method.currency === currency)
        .map((method) => ({ ...method, rail: rail as OfferedMethod['rail'] })),
    )
}

/** The methods an organization may offer for a source currency. */
export function listMethods(deps: Deps, currency: Currency) {
  if (deps.rails.having('collections').length === 0) throw new Refusal('no_rail')
  return methodsOf(deps, currency).map(({ id, type, name, country, min, max }) => ({
    id,
    type,
    name,
    currency,
    country,
    minAmount: toMajor(min.amount, currency),
    maxAmount: toMajor(max.amount, currency),
    isActive: true,
  }))
}

/** A rail that collects, by its name. */
export function collectingRail(deps: Deps, name: string): OfferedMethod['rail'] | undefined {
  return deps.rails.having('collections').find((rail) => rail.name === name) as OfferedMethod['rail'] | undefined
}
