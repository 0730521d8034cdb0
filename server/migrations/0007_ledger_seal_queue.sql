-- Which accounts have lines that no seal covers yet, and what the standing audit of the books has found.

-- Written by post() under the lock of the account, taken away by the worker under the same lock once all is sealed.
create table ledger_unsealed (
  organization_id uuid not null,
  currency        text not null,
  kind            text not null,
  constraint ledger_unsealed_pkey primary key (organization_id, currency, kind)
);
insert into ledger_unsealed (organization_id, currency, kind)
select organization_id, currency, kind from ledger_accounts where lines > 0;

-- A chain, not a tree: no two seals begin at the same line.
alter table ledger_seals add constraint ledger_seals_chain unique (organization_id, currency, kind, first_line);

-- One row: how far the audit has come, and which process is at it.
create table audit_progress (
  is_only         boolean     not null default true,
  pass            bigint      not null default 1,
  organization_id uuid,                                    -- audited last in this pass; null at its beginning
  claimed_by      uuid,
  finished_at     timestamptz,                             -- the pass before
  constraint audit_progress_pkey    primary key (is_only),
  constraint audit_progress_one_row check (is_only)
);
insert into audit_progress default values;

-- What cannot be and is: each found anew in every pass, gone when a pass no longer finds it.
create table audit_findings (
  organization_id uuid        not null,
  check_name      text        not null,
  subject         text        not null,
  says            text        not null,
  found_at        timestamptz not null,
  constraint audit_findings_pkey primary key (organization_id, check_name, subject)
);
