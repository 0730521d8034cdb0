import { createHash } from 'node:crypto'
import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../errors.ts'
import type { Notice, Rail } from '../rail.ts'
import * as store from './store.ts'
import { readStoredNotice, writeNotice } from './wire.ts'

type Headers = Readonly<Record<string, string | undefined>>

/** Takes a provider's notice: checked, stored once, answered at once. What it says is applied by a worker. */
export async function takeNotice(deps: Deps, rail: Rail, headers: Headers, body: Buffer): Promise<void> {
  const reading = rail.readNotice(headers, body)
  if (reading.state === 'wrong_signature') throw new Refusal('signature_invalid')
  const at = deps.now()
  const common = { rail: rail.name, id: deps.newId(at), body: body.toString('utf8').replaceAll('\0', ''), at }
  const row: store.NewNotice =
    reading.state === 'read'
      ? {
          ...common,
          dedupeKey: bounded(reading.notice.dedupeKey),
          kind: reading.notice.kind,
          notice: writeNotice(reading.notice),
          status: 'waiting',
          error: null,
        }
      : {
          ...common,
          dedupeKey: bounded(reading.dedupeKey),
          kind: 'unreadable',
          notice: '{}',
          status: 'unreadable',
          error: reading.cause,
        }
  const isNew = await deps.db.transaction(async (tx) => {
    const stored = await store.insertNotice(tx, row)
    if (stored) tx.wake('notices')
    return stored
  })
  deps.metrics.notices.inc({ rail: rail.name, outcome: isNew ? row.kind : 'duplicate' })
}

/** A key of any length fits the index. */
function bounded(key: string): string {
  return key.length <= 200 ? key : createHash('sha256').update(key).digest('hex')
}

export type NoticeOf<Kind extends Notice['kind']> = {
  id: string
  rail: string
  receivedAt: Date
  notice: Extract<Notice, { kind: Kind }>
}

/** Applies notices of one kind, set-based, in the worker's transaction; answers what became of each. */
export type NoticeHandler<Kind extends Notice['kind']> = (
  deps: Deps,
  tx: Tx,
  notices: readonly NoticeOf<Kind>[],
) => Promise<store.Applied[]>
export type NoticeHandlers = { readonly [Kind in Notice['kind']]?: NoticeHandler<Kind> }

/** Applies those of the given notices that still wait. */
export async function applyNotices(deps: Deps, handlers: NoticeHandlers, ids: readonly string[]): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const waiting = (await store.lockWaiting(tx, ids)).map((row) => ({ ...row, notice: readStoredNotice(row.notice) }))
    for (const [kind, notices] of Map.groupBy(waiting, ({ notice }) => notice.kind)) {
      const handler = handlers[kind] as NoticeHandler<typeof kind> | undefined
      if (!handler) throw new Error(`nothing handles notices of kind ${kind}`)
      await store.markApplied(tx, await handler(deps, tx, notices as never), deps.now())
    }
  })
}
