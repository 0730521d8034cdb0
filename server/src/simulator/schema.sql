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

-- How it behaves: { "slowMs": 0, "isDown": false, "losesNotices": false }, for all or for one capability.
create table if not exists simulator.behaviour (
  capability text  primary key,
  settings   jsonb not null
);
