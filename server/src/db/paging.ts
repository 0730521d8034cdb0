import { invalid } from '../errors.ts'
import { firstIdOf } from '../ids.ts'
import type { Db } from './database.ts'
import { statement, type Statement } from './sql.ts'

export type PageQuery = { readonly page?: number; readonly cursor?: string; readonly limit?: number }
export type CreatedRange = { readonly createdFrom?: string; readonly createdTo?: string }

export type Pagination = {
  page: number | null
  pages: number | null
  total: number | null
  limit: number
  nextCursor: string | null
}
export type Page<Row> = { readonly items: Row[]; readonly pagination: Pagination }

/** A condition of a list: SQL with `?` where the value goes. */
export type Condition = { readonly text: string; readonly value: unknown }

/** What a list selects from. Its rows have an `id`, which orders them, newest first. */
export type ListSource = {
  readonly columns: string
  readonly from: string
  readonly id: string
  /**
   * Conditions that exclude each other, one of which must hold. The page is merged from one ordered scan of each: a
   * scan for all of them at once would have to read and sort everything they let through, 141 ms of 120,000 rows.
   */
  readonly anyOf?: readonly Condition[]
  /** What fulfils the conditions once does so for ever: past the most that is counted there is nothing to count again. */
  readonly onlyGrows?: boolean
}

const DEFAULT_LIMIT = 20
/** Counting further would cost more than the number is worth; deeper pages go by cursor. */
export const MAX_COUNTED = 10_000

/** One page of a list: by number with a bounded count, or by cursor without counting. */
export async function listPage<Row extends { id: string }>(
  db: Db,
  source: ListSource,
  conditions: readonly Condition[],
  query: PageQuery,
): Promise<Page<Row>> {
  const { page, limit, cursor } = readPage(query)
  if (cursor !== undefined) {
    const after = { text: `${source.id} < ?`, value: readCursor(cursor) }
    return { ...(await rows<Row>(db, source, [...conditions, after], { limit, offset: 0 })) }
  }
  const [total, found] = await Promise.all([
    count(db, source, conditions),
    rows<Row>(db, source, conditions, { limit, offset: (page - 1) * limit }),
  ])
  return { items: found.items, pagination: { ...found.pagination, page, ...counted(total, limit) } }
}

/** Which page is asked for, with its defaults; refuses what contradicts itself or is too deep. */
export function readPage({ page, cursor, limit = DEFAULT_LIMIT }: PageQuery) {
  if (page !== undefined && cursor !== undefined)
    throw invalid({ param: 'cursor', message: 'cannot be given together with page' })
  if (page !== undefined && page * limit > MAX_COUNTED) {
    throw invalid({
      param: 'page',
      message: `is too deep: page × limit must not exceed ${MAX_COUNTED}. Use cursor with a nextCursor instead`,
    })
  }
  return { page: page ?? 1, limit, cursor }
}

export function counted(total: number, limit: number): { pages: number | null; total: number | null } {
  return total > MAX_COUNTED ? { pages: null, total: null } : { pages: Math.ceil(total / limit), total }
}

/** A range of creation, as a range of ids: an id begins with its instant, so the key itself answers it. */
export function createdConditions({ createdFrom, createdTo }: CreatedRange, id: string): Condition[] {
  return [
    ...(createdFrom === undefined ? [] : [{ text: `${id} >= ?`, value: firstIdOf(new Date(createdFrom)) }]),
    ...(createdTo === undefined ? [] : [{ text: `${id} < ?`, value: firstIdOf(new Date(createdTo)) }]),
  ]
}

async function rows<Row extends { id: string }>(
  db: Db,
  source: ListSource,
  conditions: readonly Condition[],
  at: { limit: number; offset: number },
) {
  const { columns, from, id, anyOf } = source
  const values = valuesOf(source, conditions)
  // The usual page has its size in the text: with a parameter PostgreSQL plans anew each time, 0.1 ms of 0.5.
  const isUsual = !anyOf && at.limit === DEFAULT_LIMIT && at.offset === 0
  const cut = isUsual ? `limit ${DEFAULT_LIMIT + 1}` : `limit $${values.length + 1} offset $${values.length + 2}`
  const plain = conditions.map(numbered)
  // Each scan stops by itself where the page must end: left to the planner, it may read and sort all of them.
  const enough = `order by ${id} desc limit $${values.length + 1}::bigint + $${values.length + 2}::bigint`
  const merged = `${id} in (select id from (${scans(source, conditions, id, enough)}) merged order by id desc ${cut})`
  const text = anyOf
    ? `select ${columns} from ${from} ${where([...plain, merged])} order by ${id} desc`
    : `select ${columns} from ${from} ${where(plain)} order by ${id} desc ${cut}`
  const found = await db.many<Row>(prepared(text), isUsual ? values : [...values, at.limit + 1, at.offset])
  const items = found.slice(0, at.limit)
  const nextCursor = found.length > at.limit ? writeCursor(items.at(-1)!.id) : null
  return { items, pagination: { page: null, pages: null, total: null, limit: at.limit, nextCursor } }
}

/** Lists that are known to be longer than is counted: most of those that are looked at, in a busy deployment. */
const long = new Set<string>()
const MOST_REMEMBERED = 10_000

async function count(db: Db, source: ListSource, conditions: readonly Condition[]): Promise<number> {
  const text = `select count(*)::integer as total from (select 1 from (${scans(source, conditions, '1')}) found limit ${MAX_COUNTED + 1}) counted`
  const values = valuesOf(source, conditions)
  const key = source.onlyGrows ? JSON.stringify([text, values]) : undefined
  if (key !== undefined && long.has(key)) return MAX_COUNTED + 1
  const { total } = await db.one<{ total: number }>(prepared(text), values)
  if (key !== undefined && total > MAX_COUNTED) {
    if (long.size >= MOST_REMEMBERED) long.clear()
    long.add(key)
  }
  return total
}

function valuesOf({ anyOf = [] }: ListSource, conditions: readonly Condition[]): unknown[] {
  return [...conditions, ...anyOf].map(({ value }) => value)
}

/** What fulfils the conditions, in one scan, or in one for each of those that exclude each other. */
function scans({ from, anyOf }: ListSource, conditions: readonly Condition[], column: string, end = ''): string {
  const plain = conditions.map(numbered)
  if (!anyOf) return `select ${column} from ${from} ${where(plain)}`
  return anyOf
    .map(
      (one, index) =>
        `(select ${column} from ${from} ${where([...plain, numbered(one, plain.length + index)])} ${end})`,
    )
    .join(' union all ')
}

function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
}

function numbered({ text }: Condition, index: number): string {
  return text.replace('?', `$${index + 1}`)
}

/** Each combination of filters is a constant text of its own, so that each gets a plan of its own. */
const statements = new Map<string, Statement<never>>()

function prepared<Row>(text: string): Statement<Row> {
  const known = statements.get(text) ?? statement<never>(text)
  statements.set(text, known)
  return known as Statement<Row>
}

export function writeCursor(position: string): string {
  return Buffer.from(position).toString('base64url')
}

function readCursor(cursor: string): string {
  const position = Buffer.from(cursor, 'base64url').toString()
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(position)) throw badCursor()
  return position
}

export function badCursor() {
  return invalid({ param: 'cursor', message: 'is not a nextCursor of this list' })
}
