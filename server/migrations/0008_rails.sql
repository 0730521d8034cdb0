-- What providers tell us on their own, stored once before it is answered; and where the processes of a deployment listen.

create table rail_notices (
  rail            text        not null,
  dedupe_key      text        not null,                    -- the provider's name for this one fact
  id              uuid        not null,
  kind            text        not null,                    -- as in rails/rail.ts, or 'unreadable'
  notice          jsonb       not null,                    -- what we read; amounts in minor units, as text
  body            text        not null,                    -- what was sent
  status          text        not null default 'waiting',
  organization_id uuid,                                    -- known once it is matched
  error           text,
  received_at     timestamptz not null,
  applied_at      timestamptz,
  set_aside_at    timestamptz,
  constraint rail_notices_pkey         primary key (rail, dedupe_key),
  constraint rail_notices_id           unique (id),
  constraint rail_notices_status_known check (status in ('waiting', 'applied', 'unmatched', 'returned', 'unreadable'))
);
create index rail_notices_waiting on rail_notices (id) where status = 'waiting' and set_aside_at is null;
create index rail_notices_unmatched on rail_notices (id) where status in ('unmatched', 'unreadable');

alter table processes
  add column api_url       text,                           -- where this process serves the API, as seen from this machine
  add column simulator_url text;                           -- where it plays the provider
