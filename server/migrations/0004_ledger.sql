-- The double-entry ledger. A line has one organization, one currency and two account kinds: a posting across currencies
-- or organizations cannot be written down. Only post() in src/ledger/post.ts writes here.

-- One wallet per organization and currency. What is in it are the balances of the accounts below.
create table wallets (
  organization_id uuid        not null,
  id              uuid        not null,
  currency        text        not null,
  created_at      timestamptz not null,
  constraint wallets_pkey             primary key (organization_id, id),
  constraint wallets_one_per_currency unique (organization_id, currency),
  constraint wallets_organization     foreign key (organization_id) references organizations
);

-- Counters only grow; a balance is credits minus debits. Corrections are new lines.
create table ledger_accounts (
  organization_id uuid    not null,
  currency        text    not null,
  kind            text    not null,                        -- see src/ledger/chart.ts
  debits          bigint  not null default 0,
  credits         bigint  not null default 0,
  lines           bigint  not null default 0,
  may_overdraw    boolean not null,
  constraint ledger_accounts_pkey          primary key (organization_id, currency, kind),
  constraint ledger_accounts_organization  foreign key (organization_id) references organizations,
  constraint ledger_accounts_counters_grow check (debits >= 0 and credits >= 0 and lines >= 0),
  constraint ledger_accounts_no_overdraft  check (may_overdraw or debits <= credits)
) with (fillfactor = 50);                                  -- room for HOT updates: these rows change all day

-- Lines of an account are numbered under the row lock the posting takes anyway: dense and in commit order.
create table ledger_lines (
  organization_id uuid        not null,
  id              uuid        not null,
  posting_key     text        not null,                    -- what caused it: 'transfer:<id>:completed'
  line            smallint    not null,
  currency        text        not null,
  debit           text        not null,
  debit_line      bigint      not null,
  debit_balance   bigint      not null,                    -- after this line
  credit          text        not null,
  credit_line     bigint      not null,
  credit_balance  bigint      not null,
  amount          bigint      not null,
  kind            text        not null,                    -- what the statement calls it
  resource_type   text        not null,
  resource_id     uuid        not null,
  reference       text,
  description     text,
  created_at      timestamptz not null,
  constraint ledger_lines_pkey         primary key (organization_id, id),
  constraint ledger_lines_posted_once  unique (organization_id, posting_key, line),
  constraint ledger_lines_debit_dense  unique (organization_id, currency, debit, debit_line),
  constraint ledger_lines_credit_dense unique (organization_id, currency, credit, credit_line),
  constraint ledger_lines_positive     check (amount > 0),
  constraint ledger_lines_two_accounts check (debit <> credit),
  -- Also between the lines of one batch no bounded balance may dip below zero.
  constraint ledger_lines_no_overdraft check (debit_balance >= 0 or debit in ('outside', 'exchange', 'intercompany'))
);

create trigger ledger_lines_append_only before update or delete on ledger_lines
  for each row execute function refuse_change();
create trigger ledger_lines_no_truncate before truncate on ledger_lines
  for each statement execute function refuse_change();

-- Seals: keyed digests over the lines of an account, one row per stretch of lines, each chained to the one before.
-- line_macs holds 32 bytes per line (its id and a truncated digest), so that a changed or missing line is named exactly.
create table ledger_seals (
  organization_id uuid        not null,
  currency        text        not null,
  kind            text        not null,
  first_line      bigint      not null,
  last_line       bigint      not null,
  line_macs       bytea       not null,
  mac             bytea       not null,                    -- over the seal before, the stretch and line_macs
  key_id          text        not null,                    -- the master key it was made under
  sealed_at       timestamptz not null,
  constraint ledger_seals_pkey    primary key (organization_id, currency, kind, last_line),
  constraint ledger_seals_account foreign key (organization_id, currency, kind) references ledger_accounts,
  constraint ledger_seals_stretch check (first_line >= 1 and last_line >= first_line)
);

create trigger ledger_seals_append_only before update or delete on ledger_seals
  for each row execute function refuse_change();
create trigger ledger_seals_no_truncate before truncate on ledger_seals
  for each statement execute function refuse_change();
