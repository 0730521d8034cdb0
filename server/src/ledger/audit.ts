import type { Db } from '../db/database.ts'
import { sql } from '../db/sql.ts'

/** Something in the books that cannot be: which check, where, and what it found. */
export type AuditFinding = { check: string; organizationId: string; subject: string; says: string }

// Each check is one statement over one organization ($1) and answers a row per fault.

const counters = sql<AuditFinding>`
  with sides as (
    select currency, debit as kind, amount as debits, 0 as credits from ledger_lines where organization_id = $1
    union all
    select currency, credit, 0, amount from ledger_lines where organization_id = $1
  ), sums as (
    select currency, kind, sum(debits) as debits, sum(credits) as credits, count(*) as lines from sides group by currency, kind
  )
  select 'counters' as check, $1::uuid as "organizationId", coalesce(a.currency, s.currency) || ' ' || coalesce(a.kind, s.kind) as subject,
         format('the account says %s debits, %s credits, %s lines; its lines come to %s, %s, %s', a.debits, a.credits, a.lines,
                coalesce(s.debits, 0), coalesce(s.credits, 0), coalesce(s.lines, 0)) as says
    from (select currency, kind, debits, credits, lines from ledger_accounts where organization_id = $1) a
    full join sums s on s.currency = a.currency and s.kind = a.kind
   where (a.debits, a.credits, a.lines) is distinct from (coalesce(s.debits, 0), coalesce(s.credits, 0), coalesce(s.lines, 0))`

const zeroSum = sql<AuditFinding>`
  select 'zero sum' as check, $1::uuid as "organizationId", currency as subject,
         format('the balances of all accounts come to %s', sum(credits - debits)) as says
    from ledger_accounts where organization_id = $1 group by currency having sum(credits - debits) <> 0`

const running = sql<AuditFinding>`
  with sides as (
    select id, currency, debit as kind, debit_line as number, debit_balance as balance, -amount as change from ledger_lines where organization_id = $1
    union all
    select id, currency, credit, credit_line, credit_balance, amount from ledger_lines where organization_id = $1
  ), expected as (
    select id, currency, kind, number, balance,
           row_number() over account as expected_number, sum(change) over account as expected_balance
      from sides window account as (partition by currency, kind order by number rows unbounded preceding)
  )
  select 'lines' as check, $1::uuid as "organizationId", 'line ' || id as subject,
         format('line %s of %s %s leaves %s; it should be line %s and leave %s', number, currency, kind, balance, expected_number, expected_balance) as says
    from expected where number <> expected_number or balance <> expected_balance order by currency, kind, number limit 100`

const histories = sql<AuditFinding>`
  with latest as (
    select distinct on (resource_id) resource_id, status from status_history
     where organization_id = $1 and resource_type = 'transfer' order by resource_id, number desc
  )
  select 'history' as check, $1::uuid as "organizationId", 'transfer ' || t.id as subject,
         format('the status is %s, its history ends with %s', t.status, coalesce(l.status, 'nothing')) as says
    from transfers t left join latest l on l.resource_id = t.id
   where t.organization_id = $1 and t.status is distinct from l.status`

const announcements = sql<AuditFinding>`
  select 'events' as check, $1::uuid as "organizationId", h.resource_type || ' ' || h.resource_id as subject,
         format('%s was announced by event %s, which does not exist', h.status, h.event_id) as says
    from status_history h
   where h.organization_id = $1 and h.event_id is not null and h.event_id >= $2
     and not exists (select from events e where e.organization_id = h.organization_id and e.id = h.event_id)
  union all
  select 'events', $1::uuid, h.resource_type || ' ' || h.resource_id, format('%s was never announced', h.status)
    from status_history h
   where h.organization_id = $1 and h.event_id is null and h.resource_type = 'transfer' and h.status <> 'pending'`

/** Recomputes one organization's books from their lines. Events older than `oldestEventId` may be gone. */
export async function auditOrganization(
  db: Db,
  organizationId: string,
  oldestEventId: string,
): Promise<AuditFinding[]> {
  const found = await Promise.all([
    ...[counters, zeroSum, running, histories].map((check) => db.many(check, [organizationId])),
    db.many(announcements, [organizationId, oldestEventId]),
  ])
  return found.flat()
}
