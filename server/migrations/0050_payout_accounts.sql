-- Beneficiaries of payouts, and the count of look-ups that found nobody.

create table payout_accounts (
  organization_id uuid        not null,
  id              uuid        not null,
  account_type    text        not null,
  account_number  text        not null,                    -- as the organization wrote it
  account_name    text        not null,                    -- as the provider knows it
  bank_code       text,
  bank_name       text,
  institution_id  text,
  routing_number  text,
  currency        text        not null,
  country         text        not null,
  destination_key text        not null,                    -- the same for every way to write one destination
  nickname        text,
  metadata        jsonb,
  is_active       boolean     not null default true,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  deleted_at      timestamptz,
  constraint payout_accounts_pkey         primary key (organization_id, id),
  constraint payout_accounts_organization foreign key (organization_id) references organizations,
  constraint payout_accounts_type_known   check (account_type in ('bank_account', 'mobile_money', 'partnerwallet_wallet'))
);
-- Removed ones do not count: the same destination again is a new record.
create unique index payout_accounts_one_per_destination on payout_accounts (organization_id, destination_key)
  where deleted_at is null;

-- When look-ups of partner-wallet users found nobody, and those under way. Wall clock; only the last minute is kept.
create unlogged table partner_wallet_lookups (
  organization_id uuid          not null,
  misses          timestamptz[] not null,
  asking          timestamptz[] not null,
  constraint partner_wallet_lookups_pkey primary key (organization_id)
) with (fillfactor = 50);
