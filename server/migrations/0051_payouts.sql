-- Payouts, and the orders by which they are handed to a rail.

create table payouts (
  organization_id    uuid        not null,
  id                 uuid        not null,
  reference          text        not null,
  status             text        not null,
  failure_reason     text,
  waiting_reason     text,
  payout_account_id  uuid        not null,
  destination        jsonb       not null,                 -- the beneficiary as it was then
  source_amount      bigint      not null,
  source_currency    text        not null,
  target_amount      bigint      not null,
  target_currency    text        not null,
  exchange_rate      numeric     not null,
  rate_source        text        not null,
  rate_as_of         timestamptz not null,
  quote_id           uuid,
  fee_amount         bigint      not null,
  narration          text,
  metadata           jsonb,
  requires_approval  boolean     not null,
  approved_by        uuid,
  approved_at        timestamptz,
  provider_reference text,
  returned_at        timestamptz,
  return_reason      text,
  return_transfer_id uuid,
  created_by         uuid        not null,                 -- key or member
  made_by            uuid,                                 -- the member behind it, who may not approve it
  created_at         timestamptz not null,
  updated_at         timestamptz not null,
  completed_at       timestamptz,
  set_aside_at       timestamptz,
  constraint payouts_pkey            primary key (organization_id, id),
  constraint payouts_reference_taken unique (organization_id, reference),
  constraint payouts_account         foreign key (organization_id, payout_account_id) references payout_accounts,
  constraint payouts_status_known    check (status in ('pending_approval', 'pending', 'processing', 'completed', 'failed', 'cancelled')),
  constraint payouts_waiting         check (waiting_reason is null or status = 'processing'),
  constraint payouts_completed       check ((status = 'completed') = (completed_at is not null)),
  constraint payouts_failed          check (status <> 'failed' or failure_reason is not null),
  constraint payouts_approved        check ((approved_by is null) = (approved_at is null)),
  constraint payouts_returned        check ((returned_at is null) = (return_transfer_id is null) and (returned_at is null or status = 'completed')),
  constraint payouts_positive        check (source_amount > 0 and target_amount > 0 and exchange_rate > 0 and fee_amount >= 0)
) with (fillfactor = 80);
create index payouts_by_account on payouts (organization_id, payout_account_id, id);
create index payouts_by_status on payouts (organization_id, status, id);
create index payouts_to_send on payouts (created_at) where status = 'pending' and set_aside_at is null;
create index payouts_undecided on payouts (created_at) where status = 'pending_approval' and set_aside_at is null;

-- A payout's conversation with its rail, written in the transaction that makes it processing, before the rail is called.
-- Due instants go by the service clock. An order that a process had claimed when it died may have been sent: it is asked
-- about, and only asked about.
create table payout_orders (
  organization_id uuid        not null,
  payout_id       uuid        not null,
  rail            text        not null,
  order_id        text        not null,                    -- what the rail knows it by; never another one for this payout
  step            text        not null,                    -- what is done at due_at
  due_at          timestamptz,                             -- null: nothing more, or a person decides
  claimed_by      uuid,                                    -- a process
  asked           smallint    not null default 0,          -- how often since the rail last took it
  silent_since    timestamptz,                             -- when the rail was first not heard
  not_found_at    timestamptz,                             -- when the rail first said "no such order"
  resent_at       timestamptz,
  created_at      timestamptz not null,
  constraint payout_orders_pkey       primary key (organization_id, payout_id),
  constraint payout_orders_payout     foreign key (organization_id, payout_id) references payouts,
  constraint payout_orders_one_each   unique (rail, order_id),
  constraint payout_orders_step_known check (step in ('send', 'ask')),
  constraint payout_orders_claimed    check (claimed_by is null or due_at is not null)
) with (fillfactor = 70);
create index payout_orders_due on payout_orders (due_at) where due_at is not null;
create index payout_orders_claimed on payout_orders (claimed_by) where claimed_by is not null;
