import { createHash } from 'node:crypto'
import type { Db, Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../errors.ts'
import type { Notice, NoticeReading, Rail } from '../rail.ts'
import type { Intake } from './intake.ts'
import * as store from './store.ts'
import { readStoredNotice, storable, writeNotice } from './wire.ts'

type Headers = Readonly<Record<string, string | undefined>>

/** Takes a provider's notice: checked, stored once, answered at once. What it says is applied by a worker. */
export async function takeNotice(
  deps: Deps,
  intake: Intake,
  rail: Rail,
  headers: Headers,
  body: Buffer,
): Promise<void> {
  const reading = rail.readNotice(headers, body)
  if (reading.state === 'wrong_signature') throw new Refusal('signature_invalid')
  const row = rowOf(deps, rail.name, reading, body.toString('utf8'))
  const isNew = await intake(row)
  deps.metrics.notices.inc({ rail: rail.name, outcome: isNew ? row.kind : 'duplicate' })
}

type Understood = Exclude<NoticeReading, { state: 'wrong_signature' }>

function rowOf(deps: Deps, rail: string, reading: Understood, body: string): store.NewNotice {
  const at = deps.now()
  const common = { rail, id: deps.newId(at), body: storable(body), at }
  if (reading.state === 'unreadable') {
    const { dedupeKey, cause } = reading
    const unread = { kind: 'unreadable', notice: '{}', status: 'unreadable', error: storable(cause) } as const
    return { ...common, ...unread, dedupeKey: bounded(dedupeKey) }
  }
  const { notice } = reading
  const read = { kind: notice.kind, notice: writeNotice(notice), status: 'read', error: null } as const
  return { ...common, ...read, dedupeKey: bounded(notice.dedupeKey) }
}

/** Stores what a provider said when it was asked, as if it had told it by itself; what it has told before is passed over. */
export async function storeAnswers(
  deps: Deps,
  tx: Tx,
  rail: string,
  answers: readonly { readonly reading: NoticeReading; readonly body: string }[],
): Promise<number> {
  const rows = answers.flatMap(({ reading, body }) =>
    reading.state === 'wrong_signature' ? [] : [rowOf(deps, rail, reading, body)],
  )
  const known = await store.findKnown(
    tx,
    rail,
    rows.map(({ dedupeKey }) => dedupeKey),
  )
  const missing = rows.filter(({ dedupeKey }) => !known.has(dedupeKey))
  if (missing.length === 0) return 0
  const added = await store.insertNotices(tx, missing)
  if (added.size > 0) tx.wake('notices')
  deps.metrics.notices.inc({ rail, outcome: 'asked' }, added.size)
  return added.size
}

/** A key of any length and of any characters fits the index. */
function bounded(key: string): string {
  return key.length <= 200 && key === storable(key) ? key : createHash('sha256').update(key).digest('hex')
}

export type NoticeOf<Kind extends Notice['kind']> = {
  id: string
  rail: string
  receivedAt: Date
  notice: Extract<Notice, { kind: Kind }>
}

/** Applies notices of one kind, set-based, in the worker's transaction; answers those that are nobody's. */
export type NoticeHandler<Kind extends Notice['kind']> = (
  deps: Deps,
  tx: Tx,
  notices: readonly NoticeOf<Kind>[],
) => Promise<readonly NoticeOf<Kind>[]>
export type NoticeHandlers = { readonly [Kind in Notice['kind']]?: NoticeHandler<Kind> }

/** Takes notices that wait and applies them, all or none. Answers how many there were. */
export async function applyNotices(
  deps: Deps,
  handlers: NoticeHandlers,
  take: (tx: Tx) => Promise<store.WaitingRow[]>,
): Promise<number> {
  const { count, unmatched } = await deps.db.transaction(async (tx) => {
    const waiting = (await take(tx)).map((row) => ({ ...row, notice: readStoredNotice(row.notice) }))
    const nobodys: NoticeOf<Notice['kind']>[] = []
    for (const [kind, notices] of Map.groupBy(waiting, ({ notice }) => notice.kind)) {
      const handler = handlers[kind] as NoticeHandler<typeof kind> | undefined
      if (!handler) throw new Error(`nothing handles notices of kind ${kind}`)
      nobodys.push(...(await handler(deps, tx, notices as never)))
    }
    await store.moveNotices(
      tx,
      nobodys.map(({ id }) => id),
      'unmatched',
    )
    return { count: waiting.length, unmatched: nobodys }
  })
  deps.faultPoint('notices.committed')
  for (const { rail } of unmatched) deps.metrics.notices.inc({ rail, outcome: 'unmatched' })
  if (unmatched.length > 0) await showUnmatched(deps)
  return count
}

/** Shows in the metrics how many notices wait for a person. */
export async function showUnmatched({ db, metrics }: Deps): Promise<void> {
  for (const { status, count } of await store.countUnmatched(db)) metrics.noticesUnmatched.set({ status }, count)
}

const MOST_LISTED = 1_000

/** What waits for a person: belongs to nobody, is on its way back, or could not be read. */
export async function listUnmatched(deps: Deps) {
  const rows = await store.listUnmatched(deps.db, MOST_LISTED)
  return rows.map(({ notice, ...row }) => ({
    ...row,
    notice: row.status === 'unreadable' ? null : readStoredNotice(notice),
  }))
}

export type UnmatchedCredit = NoticeOf<'virtual_account_credit'>

/** Credits that belonged to nobody when they came. */
export function findUnmatchedCredits(db: Db): Promise<UnmatchedCredit[]> {
  return findUnmatched(db, creditOf)
}

export type UnmatchedCollection = NoticeOf<'collection'>

/** Money on its way back of which nobody knew when it was told of. */
export async function findUnmatchedReturns(db: Db): Promise<UnmatchedCollection[]> {
  const collections = await findUnmatched(db, (row) => {
    const { id, rail, receivedAt, notice } = { ...row, notice: readStoredNotice(row.notice) }
    return notice.kind === 'collection' ? { id, rail, receivedAt, notice } : undefined
  })
  return collections.filter(({ notice }) => notice.state === 'returned')
}

async function findUnmatched<T>(db: Db, read: (row: store.WaitingRow) => T | undefined): Promise<T[]> {
  const rows = await store.listUnmatched(db, MOST_LISTED)
  return rows.filter(({ status }) => status === 'unmatched').flatMap((row) => read(row) ?? [])
}

function creditOf({ id, rail, receivedAt, notice: stored }: store.WaitingRow): UnmatchedCredit | undefined {
  const notice = readStoredNotice(stored)
  return notice.kind === 'virtual_account_credit' ? { id, rail, receivedAt, notice } : undefined
}

/** Lets notices that match somebody by now be worked again. */
export async function requeueNotices(tx: Tx, ids: readonly string[]): Promise<void> {
  if ((await store.requeue(tx, ids)) > 0) tx.wake('notices')
}

/** Takes a credit that belongs to nobody in hand; refuses anything else. */
export async function lockUnmatchedCredit(tx: Tx, id: string, ...statuses: string[]): Promise<UnmatchedCredit> {
  const row = await store.lockNotice(tx, id)
  if (!row) throw new Refusal('not_found', { message: 'There is no such notice.' })
  const credit = statuses.includes(row.status) ? creditOf(row) : undefined
  if (!credit) throw new Refusal('notice_not_unmatched', { message: `The notice is ${row.status}, a ${row.kind}.` })
  return credit
}

/** What became of a notice by an operator's decision, and the decision itself. */
export async function decide(
  deps: Deps,
  tx: Tx,
  noticeId: string,
  decided: Pick<store.Decision, 'decision' | 'note'> & { organizationId?: string },
): Promise<void> {
  const at = deps.now()
  const { organizationId = null } = decided
  await store.moveNotices(tx, [noticeId], statusAfter[decided.decision])
  await store.insertDecision(tx, { ...decided, id: deps.newId(at), noticeId, organizationId, at })
}

const statusAfter = {
  assigned: 'read',
  return_asked: 'returning',
  return_refused: 'unmatched',
  returned: 'returned',
} as const
