-- What operators decided about notices that belong to nobody. A notice has no organization until it is assigned, so that
-- its story stands here; what touches an organization's books is in that organization's audit log too.

alter table rail_notices drop constraint rail_notices_status_known;
alter table rail_notices add constraint rail_notices_status_known
  check (status in ('waiting', 'applied', 'unmatched', 'returning', 'returned', 'unreadable'));

drop index rail_notices_unmatched;
create index rail_notices_unmatched on rail_notices (id) where status in ('unmatched', 'returning', 'unreadable');

create table rail_notice_decisions (
  id              uuid        not null,
  notice_id       uuid        not null,
  decision        text        not null,
  organization_id uuid,
  note            text,
  decided_at      timestamptz not null,
  constraint rail_notice_decisions_pkey     primary key (id),
  constraint rail_notice_decisions_notice   foreign key (notice_id) references rail_notices (id),
  constraint rail_notice_decisions_known    check (decision in ('assigned', 'return_asked', 'return_refused', 'returned')),
  constraint rail_notice_decisions_assigned check ((decision = 'assigned') = (organization_id is not null))
);
create index rail_notice_decisions_by_notice on rail_notice_decisions (notice_id);

create trigger rail_notice_decisions_append_only before update or delete on rail_notice_decisions
  for each row execute function refuse_change();
create trigger rail_notice_decisions_no_truncate before truncate on rail_notice_decisions
  for each statement execute function refuse_change();
