/** What the inbox knows of a delivery it received. */
export type Letter = {
  readonly number: number
  readonly receivedAt: Date
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signature: 'valid' | 'wrong' | 'stale' | 'absent' | 'unknown'
  readonly answered: number
}

/** How the box answers what comes next. */
export type Manner = { readonly status: number; readonly delayMs: number }

export type Box = {
  readonly name: string
  letters: Letter[]
  manner: Manner
  received: number
  readonly watchers: Set<(letter: Letter) => void>
}

/** All of it is in memory and bounded: this is for looking at, not for keeping. */
const MAX_BOXES = 100
const MAX_LETTERS = 100

export function createBoxes(): (name: string) => Box {
  const boxes = new Map<string, Box>()
  return (name) => {
    const known = boxes.get(name)
    if (known) return known
    const oldest = boxes.keys().next().value
    if (boxes.size >= MAX_BOXES && oldest !== undefined) boxes.delete(oldest)
    const box: Box = { name, letters: [], manner: { status: 200, delayMs: 0 }, received: 0, watchers: new Set() }
    boxes.set(name, box)
    return box
  }
}

export function putLetter(box: Box, letter: Omit<Letter, 'number'>): void {
  box.received += 1
  const numbered = { ...letter, number: box.received }
  box.letters = [numbered, ...box.letters].slice(0, MAX_LETTERS)
  for (const watch of box.watchers) watch(numbered)
}
