-- Quotes, transfers between wallets, and the history every status leaves behind.

create table quotes (
  organization_id uuid        not null,
  id              uuid        not null,
  kind            text        not null,
  source_amount   bigint      not null,
  source_currency text        not null,
  target_amount   bigint      not null,
  target_currency text        not null,
  exchange_rate   numeric     not null,
  rate_source     text        not null,
  rate_as_of      timestamptz not null,
  fee_amount      bigint      not null,
  created_at      timestamptz not null,
  expires_at      timestamptz not null,
  used_at         timestamptz,
  constraint quotes_pkey         primary key (organization_id, id),
  constraint quotes_organization foreign key (organization_id) references organizations,
  constraint quotes_kind_known   check (kind in ('payment', 'payout', 'transfer')),
  constraint quotes_positive     check (source_amount > 0 and target_amount > 0 and exchange_rate > 0 and fee_amount >= 0)
);

create table transfers (
  organization_id             uuid        not null,
  id                          uuid        not null,
  kind                        text        not null,
  direction                   text        not null,
  reference                   text        not null,
  status                      text        not null,
  failure_reason              text,
  source_amount               bigint      not null,
  source_currency             text        not null,
  target_amount               bigint      not null,
  target_currency             text        not null,
  exchange_rate               numeric     not null,
  rate_source                 text        not null,
  rate_as_of                  timestamptz not null,
  quote_id                    uuid,
  source_organization_id      uuid        not null,
  destination_organization_id uuid        not null,
  payout_id                   uuid,
  description                 text,
  created_by                  uuid,                        -- key or member
  created_at                  timestamptz not null,
  completed_at                timestamptz,
  set_aside_at                timestamptz,
  constraint transfers_pkey            primary key (organization_id, id),
  constraint transfers_organization    foreign key (organization_id) references organizations,
  constraint transfers_kind_known      check (kind in ('conversion', 'organization', 'payout_return', 'review_credit')),
  constraint transfers_direction_known check (direction in ('in', 'out')),
  constraint transfers_status_known    check (status in ('pending', 'completed', 'failed')),
  constraint transfers_completed       check ((status = 'completed') = (completed_at is not null)),
  constraint transfers_reason          check ((status = 'failed') = (failure_reason is not null)),
  constraint transfers_positive        check (source_amount > 0 and target_amount > 0 and exchange_rate > 0)
);
-- For ever, and only for what the organization itself named: what it receives keeps the sender's reference.
create unique index transfers_reference_taken on transfers (organization_id, reference) where direction = 'out';
create index transfers_pending on transfers (created_at) where status = 'pending' and set_aside_at is null;
create index transfers_by_status on transfers (organization_id, status, id);

create table status_history (
  organization_id uuid        not null,
  resource_id     uuid        not null,
  number          smallint    not null,
  resource_type   text        not null,
  status          text        not null,
  event_id        uuid,                                    -- the event that announced it; null for a silent move
  at              timestamptz not null,
  constraint status_history_pkey primary key (organization_id, resource_id, number)
);

create trigger status_history_append_only before update or delete on status_history
  for each row execute function refuse_change();
create trigger status_history_no_truncate before truncate on status_history
  for each statement execute function refuse_change();

-- What a configured source last said. Read by conversions, so that none of them waits for the network.
create table exchange_rates (
  base     text        not null,
  currency text        not null,
  rate     numeric     not null,                           -- units of currency for one unit of base
  as_of    timestamptz not null,
  source   text        not null,
  constraint exchange_rates_pkey     primary key (currency),
  constraint exchange_rates_positive check (rate > 0)
);
