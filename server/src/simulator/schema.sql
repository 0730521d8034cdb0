-- The simulated provider's book. Made by the simulator itself at its start; production never has it.
create schema if not exists simulator;

-- What it will tell, and has told. Due by the wall clock.
create table if not exists simulator.notices (
  id       text        primary key,
  url      text        not null,
  body     text        not null,
  due_at   timestamptz not null,
  tries    integer     not null default 0,
  copies   integer     not null default 1,                 -- how many times it is sent
  sent_at  timestamptz
);
create index if not exists notices_due on simulator.notices (due_at) where sent_at is null;

-- How it behaves, as in behaviour.ts: { "slowMs": 0, "isDown": false, … }, for all or for one capability.
create table if not exists simulator.behaviour (
  capability text  primary key,
  settings   jsonb not null
);

-- Virtual accounts: an order is one account, with a number at each bank of its provider.
create table if not exists simulator.virtual_account_orders (
  order_id          text        primary key,
  provider          text        not null,
  account_reference text        not null,
  account_name      text        not null,
  notice_url        text        not null
);
create table if not exists simulator.virtual_account_numbers (
  account_number text    primary key,
  order_id       text    not null references simulator.virtual_account_orders,
  position       bigint  generated always as identity,
  bank_code      text    not null,
  bank_name      text    not null,
  account_name   text    not null
);
create index if not exists virtual_account_numbers_by_order on simulator.virtual_account_numbers (order_id);

-- What was paid into them, or into numbers nobody has.
create table if not exists simulator.virtual_account_credits (
  provider              text    not null,
  transaction_reference text    not null,
  account_number        text    not null,
  amount                numeric not null,                  -- major units
  currency              text    not null,
  facts                 jsonb   not null,
  return_id             text,
  returned_at           timestamptz,
  primary key (provider, transaction_reference)
);
-- In the order they came, for whoever asks what came since.
alter table simulator.virtual_account_credits add column if not exists position bigint generated always as identity;
create unique index if not exists virtual_account_credits_in_order on simulator.virtual_account_credits (provider, position);

-- Collections: what somebody asked a payer for, and how far the payer has come. Due by the wall clock.
create table if not exists simulator.collections (
  order_id     text        primary key,
  reference    text        not null unique,
  notice_url   text        not null,
  kind         text        not null,                       -- bank_transfer, pay_by_bank, mobile_money, card
  amount       numeric     not null,                       -- major units
  currency     text        not null,
  payee        text        not null,
  description  text,
  return_url   text,
  step         jsonb,
  status       text        not null,                       -- waiting, accepted, received, declined, rejected, voided
  reason       text,
  received     numeric,                                    -- what really came, major units
  received_reference text,                                 -- the name of that transfer, where it has one of its own
  finishes_at  timestamptz,                                -- when what was accepted is received or rejected
  is_settled   boolean     not null default false
);
-- When the payer who was asked on a phone answers, and how.
create table if not exists simulator.prompts (
  order_id  text        primary key,
  phone     text        not null,
  due_at    timestamptz not null
);
create index if not exists prompts_due on simulator.prompts (due_at);
create table if not exists simulator.collection_returns (
  return_id text        primary key,
  order_id  text        not null,
  amount    numeric     not null,
  at        timestamptz not null
);

-- Orders to pay somebody. The key is the whole promise: the same order id again is the same order.
create table if not exists simulator.payout_orders (
  order_id       text        primary key,
  rail_reference text        not null,
  amount         numeric     not null,
  currency       text        not null,
  account_number text        not null,
  notice_url     text        not null,
  sends          integer     not null default 1,           -- how often it was sent
  ending         text,                                     -- completed or failed, from ends_at on
  reason         text,
  ends_at        timestamptz,
  taken_at       timestamptz not null
);

-- What a developer wants of an order that has not arrived yet.
create table if not exists simulator.payout_commands (
  order_id text primary key,
  command  text not null
);
