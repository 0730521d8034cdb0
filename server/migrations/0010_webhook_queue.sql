-- The deliveries table is its own queue. A delivery that waits stands in a lane:
--   first    a first or a manual attempt, open to every worker, in the order of due_at
--   retry    an automatic retry, likewise, with places of its own so that first attempts never stand behind retries
--   parked   due, but its endpoint has as many requests under way as it may; taken when one of those has ended
--   claimed  an attempt is under way at the process claimed_by
--   aside    could not be recorded; an operator looks at rows_set_aside
-- Nothing waits where lane is null. A claim looks at a bounded number of rows of the open lanes and moves each of them
-- out, into claimed or parked: what waits for a dead endpoint is met once, and never again by anybody else's claim.

alter table webhook_deliveries
  add column automatic_count     smallint not null default 0,
  add column is_single           boolean  not null default false,   -- a test: one attempt, no retries
  add column manual_requested_at timestamptz,                        -- the next attempt is one that a person asked for
  add column lane                text,
  add column due_at              timestamptz,
  add column claimed_by          uuid;

update webhook_deliveries set lane = 'first', due_at = next_attempt_at where status = 'pending';

alter table webhook_deliveries
  add constraint webhook_deliveries_lane_known check (lane in ('first', 'retry', 'parked', 'claimed', 'aside')),
  add constraint webhook_deliveries_queued     check ((lane is null) = (due_at is null)),
  add constraint webhook_deliveries_waiting    check (status <> 'pending' or lane is not null),
  add constraint webhook_deliveries_claimed    check ((lane is not distinct from 'claimed') = (claimed_by is not null));

create index webhook_deliveries_open on webhook_deliveries (lane, due_at) where lane in ('first', 'retry');
create index webhook_deliveries_by_lane on webhook_deliveries (lane, organization_id, endpoint_id, due_at) where lane is not null;

-- A hint for new deliveries: they would be parked anyway, so they are written as parked.
alter table webhook_endpoints add column is_congested boolean not null default false;
alter table webhook_endpoints set (fillfactor = 70);        -- room for HOT updates of its counters
create index webhook_endpoints_failing on webhook_endpoints (organization_id, id) where consecutive_failures > 0 and deleted_at is null;

-- Keyed and partitioned by the delivery, so that a month of deliveries and its attempts are dropped together.
create table webhook_attempts (
  organization_id uuid        not null,
  delivery_id     uuid        not null,
  number          smallint    not null,
  trigger         text        not null,
  at              timestamptz not null,
  duration_ms     integer     not null,
  response_status smallint,
  response_body   text,
  error           text,                                    -- null: delivered
  constraint webhook_attempts_pkey          primary key (organization_id, delivery_id, number),
  constraint webhook_attempts_trigger_known check (trigger in ('automatic', 'manual'))
) partition by range (delivery_id);
create table webhook_attempts_default partition of webhook_attempts default;

-- Claims for one process: up to first_most and retry_most rows of the open lanes, and what is parked for the given
-- endpoints. Claims of the whole deployment take turns, so that an endpoint's requests are counted exactly; each is
-- one call and one commit, so that a process stopped in the middle of it holds nothing. A lost claim is only sent again:
-- the commit need not wait for the disk.
create function claim_webhook_deliveries(
  process_id uuid, at timestamptz, first_most integer, retry_most integer, endpoint_most integer,
  refill_organizations uuid[], refill_endpoints uuid[]
) returns table (
  organization_id uuid, id uuid, endpoint_id uuid, lane text, event_id uuid, event_type text, payload text, is_manual boolean,
  attempt_count smallint, automatic_count smallint, is_single boolean,
  url text, secret text, signature_prefix text, headers text
) language plpgsql as $$
#variable_conflict use_column
begin
  perform set_config('synchronous_commit', 'off', true);
  perform pg_advisory_xact_lock(5660003);
  return query
  with first_attempts as (
    select d.organization_id, d.id, d.endpoint_id, d.lane, d.due_at, d.manual_requested_at from webhook_deliveries d
     where d.lane = 'first' and d.due_at <= at order by d.due_at limit first_most for update skip locked
  ), retries as (
    select d.organization_id, d.id, d.endpoint_id, d.lane, d.due_at, d.manual_requested_at from webhook_deliveries d
     where d.lane = 'retry' and d.due_at <= at order by d.due_at limit retry_most for update skip locked
  ), refills as (
    select p.organization_id, p.id, p.endpoint_id, p.lane, p.due_at, p.manual_requested_at
      from unnest(refill_organizations, refill_endpoints) as e (organization_id, endpoint_id)
     cross join lateral (
       select d.organization_id, d.id, d.endpoint_id, d.lane, d.due_at, d.manual_requested_at from webhook_deliveries d
        where d.lane = 'parked' and d.organization_id = e.organization_id and d.endpoint_id = e.endpoint_id and d.due_at <= at
        order by d.due_at limit endpoint_most + 1 for update skip locked
     ) p
  ), candidates as (
    select c.organization_id, c.id, c.endpoint_id, c.lane, c.due_at, c.manual_requested_at from first_attempts c
    union all
    select c.organization_id, c.id, c.endpoint_id, c.lane, c.due_at, c.manual_requested_at from retries c
    union all
    select c.organization_id, c.id, c.endpoint_id, c.lane, c.due_at, c.manual_requested_at from refills c
  ), lanes as (
    select e.organization_id, e.endpoint_id, w.is_active, w.deleted_at,
           (select count(*) from webhook_deliveries f
             where f.lane = 'claimed' and f.organization_id = e.organization_id and f.endpoint_id = e.endpoint_id) as under_way
      from (select distinct c.organization_id, c.endpoint_id from candidates c) e
      join webhook_endpoints w on w.organization_id = e.organization_id and w.id = e.endpoint_id
  ), placed as (
    select c.organization_id, c.id, c.endpoint_id, c.lane as old_lane,
           l.deleted_at is not null or (not l.is_active and c.manual_requested_at is null) as is_gone,
           l.under_way + row_number() over (partition by c.organization_id, c.endpoint_id order by c.due_at, c.id) > endpoint_most as is_over
      from candidates c join lanes l on l.organization_id = c.organization_id and l.endpoint_id = c.endpoint_id
  ), moved as (
    update webhook_deliveries d
       set lane = case when p.is_gone then null when p.is_over then 'parked' else 'claimed' end,
           claimed_by = case when not p.is_gone and not p.is_over then process_id end,
           due_at = case when not p.is_gone then d.due_at end,
           status = case when p.is_gone and d.status = 'pending' then 'cancelled' else d.status end,
           next_attempt_at = case when not p.is_gone then d.next_attempt_at end,
           manual_requested_at = case when not p.is_gone then d.manual_requested_at end,
           completed_at = case when p.is_gone and d.status = 'pending' then at else d.completed_at end
      from placed p
     where d.organization_id = p.organization_id and d.id = p.id and (p.is_gone or not (p.is_over and p.old_lane = 'parked'))
    returning d.organization_id, d.id, d.endpoint_id, d.lane, d.event_id, d.event_type, d.manual_requested_at,
              d.attempt_count, d.automatic_count, d.is_single
  ), hinted as (
    -- Only a hint: whoever holds an endpoint's row is not waited for.
    update webhook_endpoints w set is_congested = h.is_congested
      from (
        select e.organization_id, e.id, s.is_congested
          from webhook_endpoints e
          join (select p.organization_id, p.endpoint_id, bool_or(p.is_over and not p.is_gone) as is_congested,
                       bool_or(p.old_lane = 'parked') as is_refill
                  from placed p group by p.organization_id, p.endpoint_id) s
            on s.organization_id = e.organization_id and s.endpoint_id = e.id
         where e.is_congested <> s.is_congested and (s.is_congested or s.is_refill)
           for no key update of e skip locked
      ) h
     where w.organization_id = h.organization_id and w.id = h.id
  )
  select m.organization_id, m.id, m.endpoint_id, m.lane, m.event_id, m.event_type, e.payload, m.manual_requested_at is not null,
         m.attempt_count, m.automatic_count, m.is_single, w.url, w.secret, w.signature_prefix, w.headers
    from moved m
    join webhook_endpoints w on w.organization_id = m.organization_id and w.id = m.endpoint_id
    left join events e on m.lane = 'claimed' and e.organization_id = m.organization_id and e.id = m.event_id;
end $$;
