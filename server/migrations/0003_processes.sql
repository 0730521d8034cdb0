-- The processes of a deployment, heard of every second by the wall clock; the service clock; rows no worker could work.

create unlogged table processes (
  id             uuid        not null,
  roles          text[]      not null,
  host           text        not null,
  pid            integer     not null,
  started_at     timestamptz not null,
  heartbeat_at   timestamptz not null,
  clock_revision bigint      not null default 0,           -- the newest setting of the service clock it has taken over
  constraint processes_pkey primary key (id)
) with (fillfactor = 50);

-- One row. While the clock is being moved it stands still at frozen_at, so that what follows from a due instant is
-- counted from that instant; target_offset_ms is where it ends, whoever finishes the move.
create table service_clock (
  is_only          boolean not null default true,
  offset_ms        bigint  not null default 0,
  frozen_at        timestamptz,
  target_offset_ms bigint,
  moved_by         uuid,
  revision         bigint  not null default 0,
  constraint service_clock_pkey        primary key (is_only),
  constraint service_clock_one_row     check (is_only),
  constraint service_clock_forward     check (offset_ms >= 0 and coalesce(target_offset_ms, offset_ms) >= offset_ms)
);
insert into service_clock default values;

-- What workers did while the clock was being moved; told to the caller that moved it.
create unlogged table clock_happenings (
  number        bigint generated always as identity,
  at            timestamptz not null,
  kind          text        not null,
  resource_type text        not null,
  resource_id   uuid        not null,
  constraint clock_happenings_pkey primary key (number)
);

create table rows_set_aside (
  worker          text        not null,
  organization_id uuid        not null,
  resource_id     uuid        not null,
  error           text        not null,
  set_aside_at    timestamptz not null,
  constraint rows_set_aside_pkey primary key (worker, organization_id, resource_id)
);
