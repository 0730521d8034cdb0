import { createHash } from 'node:crypto'

/** A prepared statement: constant text, named by its own hash so that every connection prepares it once. */
export type Statement<Row> = { readonly name: string; readonly text: string; readonly row?: Row }

/** Writes a statement. What is put in by `${}` is a constant of the code (a column list), never a value. */
export function sql<Row = Record<never, never>>(
  strings: TemplateStringsArray,
  ...parts: readonly string[]
): Statement<Row> {
  return statement(String.raw({ raw: strings }, ...parts))
}

export function statement<Row>(text: string): Statement<Row> {
  return { name: `kolo_${createHash('sha1').update(text).digest('hex').slice(0, 20)}`, text }
}
