-- The one place where money moves. Called by post() in src/ledger/post.ts, which says where each line stands among the
-- lines of its two accounts; nothing is joined or sorted per line, and a line costs the same in a batch of one and of a
-- thousand.
--
-- A function, because locking and writing must be two statements in one round trip. In one statement the update would
-- start from the row version the statement's snapshot saw, behind which others already queue for the lock that this
-- transaction holds on the newest version: a deadlock on a single row, met ten times in two thousand transfers. The
-- second statement has a snapshot of its own and meets the locked version directly.

create function post_lines(
  -- The accounts, and what the lines do to their counters.
  account_organizations uuid[], account_currencies text[], account_kinds text[],
  account_debits bigint[], account_credits bigint[], account_lines bigint[],
  -- The lines; debits and credits name an account by its place above, its next line and its change after that line.
  organizations uuid[], ids uuid[], posting_keys text[], parts smallint[], currencies text[], amounts bigint[], kinds text[],
  resource_types text[], resource_ids uuid[], notes text[], descriptions text[], instants timestamptz[],
  debit_kinds text[], debit_accounts integer[], debit_lines integer[], debit_changes bigint[],
  credit_kinds text[], credit_accounts integer[], credit_lines integer[], credit_changes bigint[]
) returns integer language plpgsql volatile as $$
declare
  lines_before    bigint[];
  balances_before bigint[];
  posted          integer;
begin
  -- In one order everywhere, so that two batches never wait for each other in a circle. That account_lines are above
  -- zero is true of all; it makes the planner expect few accounts, and keep one plan for every size.
  select array_agg(locked.lines order by locked.n), array_agg(locked.balance order by locked.n)
    into lines_before, balances_before
    from (
      select t.n, a.lines, a.credits - a.debits as balance
        from unnest(account_organizations, account_currencies, account_kinds, account_lines) with ordinality
          as t (organization_id, currency, kind, lines, n)
        join ledger_accounts a on (a.organization_id, a.currency, a.kind) = (t.organization_id, t.currency, t.kind)
       where t.lines > 0
       order by a.organization_id, a.currency, a.kind
         for no key update of a) locked;
  if coalesce(cardinality(lines_before), 0) <> cardinality(account_organizations) then
    return 0;
  end if;

  with account as (
    select organization_id, currency, kind, debits, credits, lines
      from unnest(account_organizations, account_currencies, account_kinds, account_debits, account_credits, account_lines)
        as t (organization_id, currency, kind, debits, credits, lines)
     where lines > 0
  ), counted as (
    update ledger_accounts a
       set debits = a.debits + t.debits, credits = a.credits + t.credits, lines = a.lines + t.lines
      from account t
     where (a.organization_id, a.currency, a.kind) = (t.organization_id, t.currency, t.kind)
  ), queued as (
    -- Under the account's lock, like the worker that takes it away once everything is sealed.
    insert into ledger_unsealed (organization_id, currency, kind)
    select organization_id, currency, kind from account
    on conflict do nothing
  )
  insert into ledger_lines (organization_id, id, posting_key, line, currency, amount, kind, resource_type, resource_id,
                            reference, description, created_at, debit, debit_line, debit_balance, credit, credit_line, credit_balance)
  select i.organization_id, i.id, i.posting_key, i.part, i.currency, i.amount, i.kind, i.resource_type, i.resource_id,
         i.note, i.description, i.created_at,
         i.debit, lines_before[i.debit_account] + i.debit_line, balances_before[i.debit_account] + i.debit_change,
         i.credit, lines_before[i.credit_account] + i.credit_line, balances_before[i.credit_account] + i.credit_change
    from unnest(organizations, ids, posting_keys, parts, currencies, amounts, kinds, resource_types, resource_ids, notes,
                descriptions, instants, debit_kinds, debit_accounts, debit_lines, debit_changes,
                credit_kinds, credit_accounts, credit_lines, credit_changes)
      as i (organization_id, id, posting_key, part, currency, amount, kind, resource_type, resource_id, note,
            description, created_at, debit, debit_account, debit_line, debit_change,
            credit, credit_account, credit_line, credit_change);
  get diagnostics posted = row_count;
  return posted;
end $$;
