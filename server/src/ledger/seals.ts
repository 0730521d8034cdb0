import type { Db, Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Secrets } from '../secrets.ts'
import { entryOf, readLines, type AccountKey } from './lines.ts'
import { makeSeal, type Entry, type Mac, type Seal } from './seal.ts'

/** The most lines one seal covers, and one round seals: some 20 ms of digests, so that nothing else waits long. */
export const SEAL_LINES_MAX = 4_000

export type AccountSeal = Seal & { readonly keyId: string }

export function macOf(secrets: Secrets, keyId: string): Mac {
  return (content) => secrets.mac('ledger-seal', content, keyId)
}

/** What a seal is bound to: it fits no other account. */
export function sequenceOf({ organizationId, currency, kind }: AccountKey): string {
  return `ledger/${organizationId}/${currency}/${kind}`
}

const claimSql = sql<AccountKey>`
  select organization_id as "organizationId", currency, kind from ledger_unsealed
   where (organization_id, currency, kind) > ($1, $2, $3)
   order by organization_id, currency, kind limit $4 for update skip locked`

const sealColumns = `s.first_line as "firstNumber", s.last_line as "lastNumber", s.line_macs as "entryMacs", s.mac, s.key_id as "keyId"`

const lastSealsSql = sql<AccountSeal & { n: number }>`
  select k.n::integer as n, ${sealColumns}
    from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as k (organization_id, currency, kind, n)
   cross join lateral (
     select first_line, last_line, line_macs, mac, key_id from ledger_seals s
      where s.organization_id = k.organization_id and s.currency = k.currency and s.kind = k.kind
      order by last_line desc limit 1) s`

const insertSealsSql = sql`
  insert into ledger_seals (organization_id, currency, kind, first_line, last_line, line_macs, mac, key_id, sealed_at)
  select organization_id, currency, kind, first_line, last_line, line_macs, mac, $8, $9
    from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bytea[], $7::bytea[])
      as t (organization_id, currency, kind, first_line, last_line, line_macs, mac)`

// An account that is being posted to just now stays in the queue: the next round comes for it.
const forgetSealedSql = sql`
  with done as materialized (
    select a.organization_id, a.currency, a.kind
      from ledger_accounts a
      join unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[]) as k (organization_id, currency, kind, sealed)
        on (a.organization_id, a.currency, a.kind) = (k.organization_id, k.currency, k.kind)
     where a.lines = k.sealed
       for no key update of a skip locked
  )
  delete from ledger_unsealed u using done d
   where (u.organization_id, u.currency, u.kind) = (d.organization_id, d.currency, d.kind)`

export type SealRound = { readonly accounts: readonly AccountKey[]; readonly lines: number }

/** Seals what accounts after `after` have gained, at most so many accounts and SEAL_LINES_MAX lines in all. */
export async function sealNext(
  tx: Tx,
  secrets: Secrets,
  at: Date,
  after: AccountKey | undefined,
  most: number,
): Promise<SealRound> {
  const nowhere = ['00000000-0000-0000-0000-000000000000', '', '']
  const from = after ? [after.organizationId, after.currency, after.kind] : nowhere
  const accounts = await tx.many(claimSql, [...from, most])
  if (accounts.length === 0) return { accounts, lines: 0 }
  const before = new Map((await tx.many(lastSealsSql, keysOf(accounts))).map((seal) => [seal.n, seal]))
  const waiting = accounts.map((key, index) => ({ ...key, after: before.get(index + 1)?.lastNumber ?? 0n }))
  const lines = await readLines(tx, waiting, Math.floor(SEAL_LINES_MAX / accounts.length))
  const entries = new Map<number, Entry[]>()
  for (const line of lines) {
    const known = entries.get(line.n) ?? []
    entries.set(line.n, known)
    // Nothing is sealed past a gap: lines that follow one wait for a person, and the audit names the gap.
    if (line.number === waiting[line.n - 1]!.after + BigInt(known.length) + 1n) known.push(entryOf(line))
  }
  const mac = macOf(secrets, secrets.keyId)
  const made = accounts.flatMap((key, index) => {
    const found = entries.get(index + 1)
    return found?.length ? [{ key, seal: makeSeal(mac, sequenceOf(key), before.get(index + 1), found) }] : []
  })
  await insertSeals(tx, made, secrets.keyId, at)
  const sealed = new Map(made.map(({ key, seal }) => [key, seal.lastNumber]))
  const reached = accounts.map((key, index) => sealed.get(key) ?? waiting[index]!.after)
  await tx.many(forgetSealedSql, [...keysOf(accounts), reached])
  return { accounts, lines: lines.length }
}

async function insertSeals(
  tx: Tx,
  made: readonly { key: AccountKey; seal: Seal }[],
  keyId: string,
  at: Date,
): Promise<void> {
  if (made.length === 0) return
  await tx.many(insertSealsSql, [
    ...keysOf(made.map(({ key }) => key)),
    made.map(({ seal }) => seal.firstNumber),
    made.map(({ seal }) => seal.lastNumber),
    made.map(({ seal }) => seal.entryMacs),
    made.map(({ seal }) => seal.mac),
    keyId,
    at,
  ])
}

function keysOf(accounts: readonly AccountKey[]): unknown[][] {
  return [
    accounts.map((key) => key.organizationId),
    accounts.map((key) => key.currency),
    accounts.map((key) => key.kind),
  ]
}

const sealsSql = sql<AccountSeal>`
  select ${sealColumns} from ledger_seals s
   where s.organization_id = $1 and s.currency = $2 and s.kind = $3 and s.last_line > $4 and s.last_line <= $5
   order by s.last_line`

/** The seals that end after one line and not after another. */
export function readSeals(db: Db, { organizationId, currency, kind }: AccountKey, after: bigint, upTo: bigint) {
  return db.many(sealsSql, [organizationId, currency, kind, after, upTo])
}

const countUnsealedSql = sql<{ count: number }>`select count(*)::integer as count from ledger_unsealed`

/** How many accounts wait to be sealed. */
export async function countUnsealed(db: Db): Promise<number> {
  return (await db.one(countUnsealedSql)).count
}
