-- Events, the endpoints that want them and one delivery per event and matching active endpoint, written in one statement
-- with the state change. Large tables are partitioned by month of their UUIDv7 id; partitions are made ahead by the code,
-- the default one catches what nobody foresaw.

-- A UUIDv7 of an instant of the service clock, for rows whose number is known only to the statement that makes them.
create function uuid_of(at timestamptz) returns uuid language sql volatile parallel safe as $$
  select encode(
    set_byte(set_byte(
      overlay(uuid_send(gen_random_uuid()) placing substring(int8send((extract(epoch from at) * 1000)::bigint) from 3) from 1 for 6),
      6, (get_byte(uuid_send(gen_random_uuid()), 0) & 15) | 112),
      8, (get_byte(uuid_send(gen_random_uuid()), 0) & 63) | 128), 'hex')::uuid
$$;

create table events (
  organization_id uuid        not null,
  id              uuid        not null,
  type            text        not null,
  payload         text        not null,                    -- the exact bytes that are signed and sent
  is_test         boolean     not null default false,      -- of a test delivery: sent, not listed
  created_at      timestamptz not null,
  constraint events_pkey primary key (organization_id, id)
) partition by range (id);
create table events_default partition of events default;
create index events_by_type on events (organization_id, type, id);

create trigger events_append_only before update on events
  for each row execute function refuse_change();

create table webhook_endpoints (
  organization_id      uuid        not null,
  id                   uuid        not null,
  url                  text        not null,
  events               text[]      not null,               -- '*' or exact types
  description          text,
  secret               text,                               -- encrypted; null: deliveries are not signed
  signature_prefix     text        not null default 'sha256',
  headers              text,                               -- encrypted JSON object; null: none
  is_active            boolean     not null default true,
  consecutive_failures integer     not null default 0,
  last_success_at      timestamptz,
  last_failure_at      timestamptz,
  created_at           timestamptz not null,
  updated_at           timestamptz not null,
  deleted_at           timestamptz,
  constraint webhook_endpoints_pkey         primary key (organization_id, id),
  constraint webhook_endpoints_organization foreign key (organization_id) references organizations,
  constraint webhook_endpoints_prefix_known check (signature_prefix in ('sha256', 'v1'))
);
create index webhook_endpoints_listening on webhook_endpoints (organization_id) where is_active and deleted_at is null;

create table webhook_deliveries (
  organization_id uuid        not null,
  id              uuid        not null,
  endpoint_id     uuid        not null,
  event_id        uuid        not null,
  event_type      text        not null,
  status          text        not null default 'pending',
  attempt_count   smallint    not null default 0,
  next_attempt_at timestamptz,
  created_at      timestamptz not null,
  completed_at    timestamptz,
  constraint webhook_deliveries_pkey         primary key (organization_id, id),
  constraint webhook_deliveries_status_known check (status in ('pending', 'delivered', 'failed', 'cancelled')),
  constraint webhook_deliveries_due          check ((status = 'pending') = (next_attempt_at is not null))
) partition by range (id);
create table webhook_deliveries_default partition of webhook_deliveries default;
create index webhook_deliveries_by_endpoint on webhook_deliveries (organization_id, endpoint_id, id);
