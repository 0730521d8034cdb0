import type { Db, Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'

/** Something that happened because time passed; told to whoever moved the clock. */
export type Happening = { readonly kind: string; readonly resourceType: string; readonly resourceId: string }

export type WorkerDeps = Deps & {
  /** The identity claims are made under; void once the process has been silent too long. */
  readonly processId: () => string
  /** Writes down what happened, while the clock is being moved; with `tx` in the transaction it happened in. */
  readonly happened: (happenings: readonly Happening[], tx?: Tx) => Promise<void>
}

/** One kind of background work. All of them stand in one registry, and moving the clock drives that list. */
export type Worker = {
  readonly name: string
  /** The instant of the service clock the earliest waiting row falls due, rows being worked included; null: nothing waits. */
  nextDueAt(db: Db): Promise<Date | null>
  /** Claims what is due, works it, records it; answers how many rows it found. */
  work(deps: WorkerDeps): Promise<number>
  /** Frees what processes that are gone had claimed. Workers that work inside one transaction claim nothing. */
  release?(tx: Tx, processIds: readonly string[]): Promise<void>
  /** Ends what goes on between rounds. */
  stop?(): Promise<void>
}
