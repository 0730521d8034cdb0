-- Payments, the attempts of payers to pay them, what rails received for them, and how all of these are found from outside.

create table payments (
  organization_id  uuid        not null,
  id               uuid        not null,
  reference        text        not null,
  status           text        not null,
  announced_status text        not null,                   -- the last one an event told of
  previous_status  text,                                   -- the one announced before this status: never a silent one
  failure_reason   text,
  source_amount    bigint      not null,
  source_currency  text        not null,
  target_amount    bigint      not null,
  target_currency  text        not null,
  exchange_rate    numeric     not null,
  rate_source      text        not null,
  rate_as_of       timestamptz not null,
  quote_id         uuid,
  fee_amount       bigint      not null,                   -- in the target currency
  customer_id      uuid,
  description      text,
  metadata         json,
  redirect_url     text,
  link_token       text        not null,                   -- the current one; earlier ones stay in payment_links
  link_expires_at  timestamptz not null,
  expires_at       timestamptz not null,
  attempt_id       uuid,                                   -- the newest attempt, or the one that paid
  method_id        text,
  method_type      text,
  method_name      text,
  rail             text,                                   -- of that attempt
  decline_count    smallint    not null default 0,
  initiated_at     timestamptz,
  executed_at      timestamptz,
  settles_at       timestamptz,                            -- null: the rail will say
  settlement_id    uuid,
  asked_at         timestamptz,                            -- when the rail was last asked
  synced_at        timestamptz,                            -- when it last answered
  ask_at           timestamptz,                            -- when to ask it again unless it speaks first
  ask_count        smallint    not null default 0,
  created_by       uuid        not null,                   -- key or member
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  set_aside_at     timestamptz,
  constraint payments_pkey            primary key (organization_id, id),
  constraint payments_organization    foreign key (organization_id) references organizations,
  constraint payments_reference_taken unique (organization_id, reference),
  constraint payments_status_known    check (status in
    ('created', 'pending', 'authorising', 'initiated', 'executed', 'settled', 'failed', 'cancelled', 'expired')),
  constraint payments_announced_known check (announced_status in
    ('created', 'initiated', 'executed', 'settled', 'failed', 'cancelled', 'expired')),
  constraint payments_reason          check ((status in ('failed', 'expired')) = (failure_reason is not null)),
  constraint payments_positive        check (source_amount > 0 and target_amount > 0 and exchange_rate > 0),
  constraint payments_fee_fits        check (fee_amount between 0 and target_amount),
  constraint payments_two_clocks      check (link_expires_at <= expires_at),
  constraint payments_method_whole    check ((method_id is null) = (method_type is null) and (method_id is null) = (method_name is null)),
  constraint payments_executed        check ((status in ('executed', 'settled')) = (executed_at is not null)),
  constraint payments_settled         check ((status = 'settled') = (settlement_id is not null))
) with (fillfactor = 85);                                  -- a payment is changed a few times soon after it was made

-- Lists: plain by the primary key, the filters each by an index that ends in the order of the list.
create index payments_by_status on payments (organization_id, status, id);
create index payments_by_customer on payments (organization_id, customer_id, id) where customer_id is not null;
create index payments_by_settlement on payments (organization_id, settlement_id, id) where settlement_id is not null;
-- Queues: each leads with the instant a row falls due.
create index payments_expiring on payments (expires_at)
  where status in ('created', 'pending', 'authorising') and set_aside_at is null;
create index payments_settling on payments (settles_at) where status = 'executed' and set_aside_at is null;
create index payments_asking on payments (ask_at) where ask_at is not null and set_aside_at is null;

-- Every link token that ever was: a replaced one is known, and too old. Tokens begin with their time, so that new ones
-- come side by side in the index.
create table payment_links (
  token           text collate "C" not null,
  organization_id uuid not null,
  payment_id      uuid not null,
  constraint payment_links_pkey primary key (token)
);

-- One try to pay by one method. Its id is the order id at the rail, committed before the rail hears of it.
create table payment_attempts (
  organization_id uuid        not null,
  id              uuid        not null,
  payment_id      uuid        not null,
  rail            text        not null,
  method_id       text,                                    -- null: made by a command of the sandbox
  method_type     text,
  method_name     text,
  status          text        not null,
  rail_reference  text,
  step            json,                                    -- what the payer has to do
  reason          text,                                    -- why it was declined or rejected
  is_settled      boolean     not null default false,      -- the rail has spoken of settlement, perhaps before of receipt
  void_at         timestamptz,                             -- when it is ended at the rail: when it lapses, or nothing may come of it
  void_count      smallint    not null default 0,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  constraint payment_attempts_pkey         primary key (organization_id, id),
  constraint payment_attempts_payment      foreign key (organization_id, payment_id) references payments,
  constraint payment_attempts_status_known check (status in
    ('beginning', 'waiting', 'accepted', 'received', 'declined', 'rejected', 'voided'))
);
create index payment_attempts_by_payment on payment_attempts (organization_id, payment_id, id);
create index payment_attempts_voiding on payment_attempts (void_at) where void_at is not null;

-- Whose order a rail speaks of.
create table payment_orders (
  rail            text not null,
  order_id        uuid not null,
  organization_id uuid not null,
  payment_id      uuid not null,
  constraint payment_orders_pkey primary key (rail, order_id)
);

-- Money a rail has received for a payment, each once, whoever told us of it first.
create table payment_receipts (
  organization_id uuid        not null,
  payment_id      uuid        not null,
  rail            text        not null,
  rail_reference  text        not null,
  order_id        uuid        not null,
  amount          bigint      not null,
  currency        text        not null,
  received_at     timestamptz not null,
  constraint payment_receipts_pkey     primary key (organization_id, payment_id, rail, rail_reference),
  constraint payment_receipts_payment  foreign key (organization_id, payment_id) references payments,
  constraint payment_receipts_positive check (amount > 0)
);

create trigger payment_receipts_append_only before update or delete on payment_receipts
  for each row execute function refuse_change();
create trigger payment_receipts_no_truncate before truncate on payment_receipts
  for each statement execute function refuse_change();
