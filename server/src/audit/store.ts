import type { Db, Tx } from '../db/database.ts'
import { sql, statement, type Statement } from '../db/sql.ts'
import type { AccountKey } from '../ledger/lines.ts'
import type { Finding } from './finding.ts'

export type AccountRow = AccountKey & {
  readonly debits: bigint
  readonly credits: bigint
  readonly lines: bigint
  readonly mayOverdraw: boolean
  /** The highest number any of its lines has, in the same snapshot. */
  readonly lastLine: bigint
  /** The last number a seal covers. */
  readonly lastSealed: bigint
}

const accountsSql = sql<AccountRow>`
  select a.organization_id as "organizationId", a.currency, a.kind, a.debits, a.credits, a.lines, a.may_overdraw as "mayOverdraw",
         greatest(
           coalesce((select max(l.debit_line) from ledger_lines l
                      where l.organization_id = $1 and l.currency = a.currency and l.debit = a.kind), 0),
           coalesce((select max(l.credit_line) from ledger_lines l
                      where l.organization_id = $1 and l.currency = a.currency and l.credit = a.kind), 0)) as "lastLine",
         coalesce((select max(s.last_line) from ledger_seals s
                    where s.organization_id = $1 and s.currency = a.currency and s.kind = a.kind), 0) as "lastSealed"
    from ledger_accounts a where a.organization_id = $1 order by a.currency, a.kind`

/** An organization's accounts as they stand at one moment. Lines up to there never change, whatever is added meanwhile. */
export function readAccounts(db: Db, organizationId: string): Promise<AccountRow[]> {
  return db.many(accountsSql, [organizationId])
}

const sealingSql = sql<{ sealed: bigint; isQueued: boolean }>`
  select coalesce((select max(last_line) from ledger_seals
                    where organization_id = $1 and currency = $2 and kind = $3), 0) as sealed,
         exists (select from ledger_unsealed where organization_id = $1 and currency = $2 and kind = $3) as "isQueued"`

/** How far an account is sealed, and whether it waits to be sealed further. */
export function readSealing(db: Db, { organizationId, currency, kind }: AccountKey) {
  return db.one(sealingSql, [organizationId, currency, kind])
}

const holdsSql = sql<{ currency: string; held: bigint; reserved: string }>`
  select a.currency, a.credits - a.debits as held, coalesce(p.reserved, 0)::text as reserved
    from ledger_accounts a
    left join (select source_currency, sum(source_amount + fee_amount) as reserved from payouts
                where organization_id = $1 and status in ('pending_approval', 'pending', 'processing') group by source_currency) p
      on p.source_currency = a.currency
   where a.organization_id = $1 and a.kind = 'held' and a.credits - a.debits <> coalesce(p.reserved, 0)`

/** Currencies in which the held balance is not what open payouts have reserved; one snapshot, so that nothing is between. */
export function wrongHolds(db: Db, organizationId: string) {
  return db.many(holdsSql, [organizationId])
}

// What stands in an account for a while is the sum of what waits there: read in one statement, so at one moment.
const stockSql = sql<{ currency: string; kind: string; balance: bigint; waiting: bigint }>`
  with waiting as (
    select target_currency as currency, 'pending' as kind, sum(target_amount)::bigint as amount
      from payments where organization_id = $1 and status = 'executed' group by target_currency
    union all
    select currency, 'suspense', sum(amount)::bigint from review_items
     where organization_id = $1 and status in ('open', 'returning')
       and kind in ('late_payment', 'wrong_amount', 'duplicate_payment') group by currency
  )
  select a.currency, a.kind, a.credits - a.debits as balance, coalesce(w.amount, 0) as waiting
    from ledger_accounts a left join waiting w on w.currency = a.currency and w.kind = a.kind
   where a.organization_id = $1 and a.kind in ('pending', 'suspense') and a.credits - a.debits <> coalesce(w.amount, 0)`

/** Pending and suspense accounts that do not hold what waits in them. */
export function readWrongStocks(db: Db, organizationId: string) {
  return db.many(stockSql, [organizationId])
}

export type TrailRow = {
  readonly id: string
  readonly status: string
  readonly history: readonly (readonly [
    number: number,
    status: string,
    eventId: string | null,
    eventType: string | null,
  ])[]
}

const trailStatements = new Map<string, Statement<TrailRow>>()

/** The statement of a trail; its table is a constant of the code. */
function trailSql(table: string): Statement<TrailRow> {
  const known = trailStatements.get(table)
  if (known) return known
  const made = statement<TrailRow>(`
    select t.id, t.status,
           coalesce(json_agg(json_build_array(h.number, h.status, h.event_id, e.type) order by h.number)
                    filter (where h.number is not null), '[]') as history
      from (select id, status from ${table} where organization_id = $1 and id > $2 order by id limit $3) t
      left join status_history h on h.organization_id = $1 and h.resource_id = t.id
      left join events e on e.organization_id = $1 and e.id = h.event_id
     group by t.id, t.status order by t.id`)
  trailStatements.set(table, made)
  return made
}

/** The next resources of a trail with all they have been through. */
export function readTrail(db: Db, table: string, organizationId: string, after: string, most: number) {
  return db.many(trailSql(table), [organizationId, after, most])
}

export type AuditedCredit = {
  readonly id: string
  readonly grossAmount: bigint
  readonly feeAmount: bigint
  readonly eventId: string
  readonly eventType: string | null
  readonly lines: number
  readonly grossPosted: bigint
  readonly feePosted: bigint
}

// A credit, its lines and its event are written by one transaction, so one statement sees all of them or none.
const creditsSql = sql<AuditedCredit>`
  select c.id, c.gross_amount as "grossAmount", c.fee_amount as "feeAmount", c.event_id as "eventId", e.type as "eventType",
         p.lines, p.gross as "grossPosted", p.fee as "feePosted"
    from (select id, gross_amount, fee_amount, currency, event_id from virtual_account_credits
           where organization_id = $1 and id > $2 order by id limit $3) c
   cross join lateral (
     select count(*)::integer as lines,
            coalesce(sum(l.amount) filter (where l.kind = 'virtual_account_credit' and l.debit = 'outside'
                                             and l.credit = 'available' and l.currency = c.currency), 0)::bigint as gross,
            coalesce(sum(l.amount) filter (where l.kind = 'virtual_account_fee' and l.debit = 'available'
                                             and l.credit = 'fees' and l.currency = c.currency), 0)::bigint as fee
       from ledger_lines l where l.organization_id = $1 and l.posting_key = 'virtual_account_credit:' || c.id) p
    left join events e on e.organization_id = $1 and e.id = c.event_id
   order by c.id`

/** The next credits of virtual accounts with what the ledger and the events say of them. */
export function readCredits(db: Db, organizationId: string, after: string, most: number) {
  return db.many(creditsSql, [organizationId, after, most])
}

/** What every posting of a credit comes after. */
export const FIRST_CREDIT_KEY = 'virtual_account_credit:'

const creditPostingsSql = sql<{ id: string; resourceId: string; isKnown: boolean }>`
  select l.posting_key as id, l.resource_id as "resourceId", c.id is not null as "isKnown"
    from (select posting_key, resource_id from ledger_lines
           where organization_id = $1 and posting_key > $2 and posting_key < 'virtual_account_credit;' and line = 1
           order by posting_key limit $3) l
    left join virtual_account_credits c on c.organization_id = $1 and c.id = l.resource_id
   order by l.posting_key`

/** The next postings of credits, and whether each has its credit. */
export function readCreditPostings(db: Db, organizationId: string, after: string, most: number) {
  return db.many(creditPostingsSql, [organizationId, after, most])
}

const creditEventsSql = sql<{ id: string; reference: string; isKnown: boolean }>`
  select e.id, e.data ->> 'reference' as reference, c.id is not null as "isKnown"
    from (select id, payload::json -> 'data' as data from events
           where organization_id = $1 and type = 'virtual_account.credited' and not is_test and id > $2 order by id limit $3) e
    left join virtual_account_credits c on c.organization_id = $1 and c.rail = e.data ->> 'provider'
          and c.transaction_reference = e.data ->> 'transactionReference' and c.event_id = e.id
   order by e.id`

/** The next events of credits, and whether each has its credit. */
export function readCreditEvents(db: Db, organizationId: string, after: string, most: number) {
  return db.many(creditEventsSql, [organizationId, after, most])
}

const nextOrganizationSql = sql<{ id: string }>`select id from organizations where id > $1 order by id limit 1`

export async function nextOrganization(db: Db, after: string): Promise<string | undefined> {
  return (await db.maybe(nextOrganizationSql, [after]))?.id
}

const intercompanySql = sql<{ currency: string; balance: string }>`
  select currency, sum(credits - debits)::text as balance from ledger_accounts
   where kind = 'intercompany' group by currency having sum(credits - debits) <> 0`

/** Currencies in which organizations have not received from each other what they have sent. */
export function unbalancedIntercompany(db: Db) {
  return db.many(intercompanySql)
}

export type Progress = { readonly organizationId: string | null; readonly finishedAt: Date | null }

const claimSql = sql<Progress>`
  update audit_progress set claimed_by = $1
   where claimed_by is null or claimed_by = $1 or not exists (select from processes p where p.id = claimed_by)
  returning organization_id as "organizationId", finished_at as "finishedAt"`

/**
 * Makes the audit this process's own; undefined while another living one is at it. Nothing is released when a process is
 * given up: one that was stopped in the middle of a step holds this row locked, and whoever freed its claims would wait.
 */
export function claimAudit(tx: Tx, processId: string): Promise<Progress | undefined> {
  return tx.maybe(claimSql, [processId])
}

const advanceSql = sql<{ pass: bigint }>`
  update audit_progress set organization_id = $2 where claimed_by = $1 returning pass`
const finishPassSql = sql<{ pass: bigint }>`
  update audit_progress set organization_id = null, finished_at = $2, pass = pass + 1, claimed_by = null
   where claimed_by = $1 returning pass`

/** Says how far the pass has come; false when it is no longer this process's. */
export async function advanceAudit(tx: Tx, processId: string, organizationId: string): Promise<boolean> {
  return (await tx.many(advanceSql, [processId, organizationId])).length === 1
}

export async function finishPass(tx: Tx, processId: string, at: Date): Promise<boolean> {
  return (await tx.many(finishPassSql, [processId, at])).length === 1
}

const forgetSql = sql`delete from audit_findings where organization_id = $1`
const insertSql = sql`
  insert into audit_findings (organization_id, check_name, subject, says, found_at)
  select $1, check_name, subject, says, $5 from unnest($2::text[], $3::text[], $4::text[]) as t (check_name, subject, says)
  on conflict (organization_id, check_name, subject) do nothing`

/** Puts what an audit of an organization found in the place of what the one before had found. */
export async function replaceFindings(
  tx: Tx,
  organizationId: string,
  findings: readonly Finding[],
  at: Date,
): Promise<void> {
  await tx.many(forgetSql, [organizationId])
  if (findings.length === 0) return
  await tx.many(insertSql, [
    organizationId,
    findings.map(({ check }) => check),
    findings.map(({ subject }) => subject),
    findings.map(({ says }) => says),
    at,
  ])
}

const countSql = sql<{ count: number }>`select count(*)::integer as count from audit_findings`

export async function countFindings(db: Db): Promise<number> {
  return (await db.one(countSql)).count
}
