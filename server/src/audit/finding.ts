/** Something in the books that cannot be: which check, where, and what it found. */
export type Finding = {
  readonly organizationId: string
  readonly check:
    | 'counters'
    | 'zero sum'
    | 'lines'
    | 'overdraft'
    | 'seals'
    | 'held'
    | 'stock'
    | 'credits'
    | 'history'
    | 'events'
    | 'intercompany'
    | 'audit log'
  /** What it is about, by its id where it has one. */
  readonly subject: string
  readonly says: string
}
