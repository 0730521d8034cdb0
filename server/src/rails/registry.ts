import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import { withBreaker, type Breaker } from './breaker.ts'
import { capabilities, type Capability, type Rail } from './rail.ts'

/** The rails of a deployment, each call of them behind a circuit breaker. */
export type Rails = {
  readonly all: readonly Rail[]
  find(name: string): Rail | undefined
  /** The rails that can do something, in the order they were registered. */
  having<C extends Capability>(capability: C): readonly (Rail & Required<Pick<Rail, C>>)[]
  /** The first rail that can do something; refuses with `no_rail` where none can. */
  get<C extends Capability>(capability: C): Rail & Required<Pick<Rail, C>>
  readonly breakers: readonly Breaker[]
}

export function createRails(rails: readonly Rail[], metrics: Deps['metrics']): Rails {
  const breakers: Breaker[] = []
  const all = rails.map((rail) => capabilities.reduce((guarded, capability) => guard(guarded, capability), rail))

  function guard(rail: Rail, capability: Capability): Rail {
    const functions = rail[capability]
    if (!functions) return rail
    const { guarded, breaker } = withBreaker(rail.name, capability, functions, metrics)
    breakers.push(breaker)
    return { ...rail, [capability]: guarded }
  }

  function having<C extends Capability>(capability: C) {
    return all.filter((rail): rail is Rail & Required<Pick<Rail, C>> => rail[capability] !== undefined)
  }

  return {
    all,
    breakers,
    find: (name) => all.find((rail) => rail.name === name),
    having,
    get(capability) {
      const [first] = having(capability)
      if (!first) throw new Refusal('no_rail')
      return first
    },
  }
}
