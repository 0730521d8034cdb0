-- What waits to be applied stands in a narrow queue of its own. Marking a notice as applied used to write the whole notice
-- again and two index entries with it, a sixth of what a credit costs; taking it from the queue writes next to nothing.

-- Written in the statement that writes the notice, so that no foreign key has to look for it again.
create table rail_notice_queue (
  id           uuid        not null,
  received_at  timestamptz not null,
  set_aside_at timestamptz,                                -- it could not be applied; its error is in rows_set_aside
  constraint rail_notice_queue_pkey primary key (id)
);
insert into rail_notice_queue (id, received_at, set_aside_at)
select id, received_at, set_aside_at from rail_notices where status = 'waiting';

-- A notice that was read waits while it stands in the queue, and has been applied when it does not.
drop index rail_notices_waiting;
alter table rail_notices drop constraint rail_notices_status_known;
update rail_notices set status = 'read' where status in ('waiting', 'applied');
alter table rail_notices
  alter column status set default 'read',
  drop column organization_id,
  drop column applied_at,
  drop column set_aside_at,
  add constraint rail_notices_status_known check (status in ('read', 'unmatched', 'returning', 'returned', 'unreadable'));
