-- Settlements of payments, and money or silence that a person has to decide about.

-- One rail, currency and settlement date of an organization; its sums grow with each payment settled into it.
create table settlements (
  organization_id uuid        not null,
  id              uuid        not null,
  rail            text        not null,
  currency        text        not null,
  settled_on      date        not null,
  gross_amount    bigint      not null default 0,
  fee_amount      bigint      not null default 0,
  payment_count   integer     not null default 0,
  created_at      timestamptz not null,
  constraint settlements_pkey         primary key (organization_id, id),
  constraint settlements_organization foreign key (organization_id) references organizations,
  constraint settlements_one_per_day  unique (organization_id, rail, currency, settled_on),
  constraint settlements_sums         check (gross_amount >= fee_amount and fee_amount >= 0 and payment_count >= 0)
) with (fillfactor = 70);

create table review_items (
  organization_id  uuid        not null,
  id               uuid        not null,
  kind             text        not null,
  status           text        not null default 'open',
  amount           bigint      not null,
  currency         text        not null,
  rail             text        not null,
  rail_reference   text,
  order_id         uuid,                                   -- the order at the rail the money came for
  resource_type    text        not null,
  resource_id      uuid        not null,
  note             text,
  resolved_by      uuid,
  return_at        timestamptz,                            -- when the rail is told, again, to send it back
  return_count     smallint    not null default 0,
  return_reference text,
  created_at       timestamptz not null,
  resolved_at      timestamptz,
  constraint review_items_pkey         primary key (organization_id, id),
  constraint review_items_organization foreign key (organization_id) references organizations,
  constraint review_items_kind_known   check (kind in
    ('late_payment', 'wrong_amount', 'duplicate_payment', 'unanswered_payment', 'unanswered_payout')),
  constraint review_items_status_known check (status in ('open', 'returning', 'resolved')),
  constraint review_items_resolved     check ((status = 'resolved') = (resolved_at is not null)),
  constraint review_items_returning    check (status = 'returning' or return_at is null),
  constraint review_items_positive     check (amount > 0)
);
create index review_items_by_status on review_items (organization_id, status, id);
create index review_items_by_resource on review_items (organization_id, resource_id);
create index review_items_returning on review_items (return_at) where return_at is not null;
create index review_items_returned on review_items (return_reference) where return_reference is not null;

-- Where the fee takes all of it, what a person credits comes to nothing, and is announced as that.
alter table transfers
  drop constraint transfers_positive,
  add constraint transfers_positive check (
    exchange_rate > 0 and (source_amount > 0 and target_amount > 0 or kind = 'review_credit' and source_amount = target_amount and source_amount >= 0));
