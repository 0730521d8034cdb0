-- Permanent virtual bank accounts and the credits that arrived in them.

-- A row is written, and committed, before the provider is asked to open the account: its id is the order id, so that
-- asking again after a crash is the same order. It can be seen from 'open' on.
create table virtual_accounts (
  organization_id   uuid        not null,
  id                uuid        not null,
  entity_type       text        not null,
  entity_id         uuid        not null,
  rail              text        not null,
  account_reference text        not null,
  account_name      text        not null,                  -- what the provider was asked to call it
  accounts          json        not null default '[]',     -- bankCode, bankName, accountNumber, accountName each
  status            text        not null default 'opening',
  is_active         boolean     not null default true,
  created_at        timestamptz not null,
  constraint virtual_accounts_pkey             primary key (organization_id, id),
  constraint virtual_accounts_organization     foreign key (organization_id) references organizations,
  constraint virtual_accounts_one_per_provider unique (organization_id, entity_type, entity_id, rail),
  constraint virtual_accounts_entity_known     check (entity_type in ('customer', 'organization')),
  constraint virtual_accounts_status_known     check (status in ('opening', 'open'))
);

-- A transfer names an account number and nothing else: whose it is stands here.
create table virtual_account_directory (
  account_number     text not null,
  rail               text not null,
  organization_id    uuid not null,
  virtual_account_id uuid not null,
  constraint virtual_account_directory_pkey    primary key (account_number, rail),
  constraint virtual_account_directory_account foreign key (organization_id, virtual_account_id) references virtual_accounts
);

create table virtual_account_credits (
  organization_id       uuid        not null,
  id                    uuid        not null,
  virtual_account_id    uuid        not null,
  rail                  text        not null,
  transaction_reference text        not null,
  account_number        text        not null,
  gross_amount          bigint      not null,
  fee_amount            bigint      not null,
  net_amount            bigint      not null,
  currency              text        not null,
  payer_name            text,
  payer_email           text,
  event_id              uuid        not null,              -- what announced it
  created_at            timestamptz not null,
  constraint virtual_account_credits_pkey     primary key (organization_id, id),
  constraint virtual_account_credits_once     unique (organization_id, rail, transaction_reference),
  constraint virtual_account_credits_split    check (gross_amount = fee_amount + net_amount and fee_amount >= 0 and net_amount >= 0),
  constraint virtual_account_credits_positive check (gross_amount > 0)
);
create index virtual_account_credits_by_account on virtual_account_credits (organization_id, virtual_account_id, id);

create trigger virtual_account_credits_append_only before update or delete on virtual_account_credits
  for each row execute function refuse_change();
create trigger virtual_account_credits_no_truncate before truncate on virtual_account_credits
  for each statement execute function refuse_change();
